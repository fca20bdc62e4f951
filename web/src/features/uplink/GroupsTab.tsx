import { type UplinkGroup, useStates } from "@api";
import { RandomIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useGroups, useStatus, useUplinks } from "./requests";
import { groups } from "./resource";

/** GroupsTab is the choices among uplinks, and what is chosen now. */
export function GroupsTab() {
	const { t } = useTranslation("uplink");
	const live = useStatus();
	const stateOf = useStates("uplink_group");
	const uplinks = useUplinks();
	// The form begins with what these say, and does not wait for them.
	useGroups();
	const of = (group: UplinkGroup) => live?.groups.find(({ id }) => id === group.id);
	const columns: Column<UplinkGroup>[] = [
		{ key: "name", title: t("group.field.name"), sortable: true, width: 20 },
		{
			key: "family",
			title: t("group.field.family"),
			sortable: true,
			width: 15,
			cell: (one) => t(`group.option.family.${one.family}`),
		},
		{
			key: "is_default",
			title: t("group.field.is_default"),
			sortable: true,
			width: 15,
			cell: (one) => t(one.is_default ? "use.yes" : "use.no"),
		},
		{
			key: "live.state",
			title: t("column.state"),
			width: 15,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="up" />,
		},
		{
			key: "live.using",
			title: t("column.using"),
			cell: (one) =>
				of(one)
					?.using.map((id) => uplinks.find((uplink) => uplink.id === id)?.name ?? id)
					.join(", ") || "–",
		},
	];
	return (
		<ResourceSection
			resource={groups}
			ns="uplink/group"
			icon={RandomIcon}
			columns={columns}
			defaultSort="name"
			form={() => import("./groupForm")}
		/>
	);
}
