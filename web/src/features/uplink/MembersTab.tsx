import type { UplinkMember } from "@api";
import { RandomIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useMemo } from "react";
import { useGroups, useUplinks } from "./requests";
import { membersNamed } from "./resource";

/** MembersTab is which uplinks are in which groups. */
export function MembersTab() {
	const { t } = useTranslation("uplink");
	const uplinks = useUplinks();
	const groups = useGroups();
	const members = useMemo(
		() => membersNamed((id) => uplinks.find((uplink) => uplink.id === id)?.name ?? "–"),
		[uplinks],
	);
	const columns: Column<UplinkMember>[] = [
		{
			key: "uplink_id",
			title: t("member.field.uplink_id"),
			width: 25,
			cell: (one) => uplinks.find(({ id }) => id === one.uplink_id)?.name ?? "–",
		},
		{
			key: "group_id",
			title: t("member.field.group_id"),
			width: 25,
			cell: (one) => groups.find(({ id }) => id === one.group_id)?.name ?? "–",
		},
		{ key: "tier", title: t("member.field.tier"), sortable: true, width: 15 },
		{ key: "weight", title: t("member.field.weight"), sortable: true },
	];
	const filter = {
		key: "filter",
		label: t("allGroups"),
		options: groups.map(({ id, name }) => ({ value: `group_id:${id}`, label: name })),
	};
	return (
		<ResourceSection
			resource={members}
			ns="uplink/member"
			icon={RandomIcon}
			columns={columns}
			filters={[filter]}
			defaultSort="tier"
			form={() => import("./memberForm")}
		/>
	);
}
