import { type RadiusUser, useCurrent, useStates } from "@api";
import { UsersIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection, StatusLabel, storedInput, Time, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { useSignIns } from "./requests";
import { users } from "./resource";
import { good, lookOf } from "./results";

/** UsersTab is who may sign in, beside when they last did. */
export function UsersTab() {
	const { t } = useTranslation("radius");
	const signIns = useSignIns();
	const last = signIns.data?.users ?? {};
	const heard = useCurrent(signIns) !== undefined;
	// Nobody can sign in at a server that does not work.
	const works = useStates("radius")("radius") === undefined;
	const bulk = useSwitchBulk<"enabled", RadiusUser>("enabled", (user) => storedInput(user, "password_configured"));
	const columns: Column<RadiusUser>[] = [
		{ key: "name", title: t("user.field.name"), sortable: true, width: 25 },
		{
			key: "enabled",
			title: t("column.state"),
			sortable: true,
			width: 15,
			cell: ({ enabled }, current) => (
				<StatusLabel status={good(enabled && works && current)}>{t(enabled ? "user.on" : "user.off")}</StatusLabel>
			),
		},
		{ key: "vlan", title: t("user.field.vlan"), sortable: true, width: 10, cell: ({ vlan }) => vlan ?? "–" },
		{
			key: "live.at",
			title: t("column.last"),
			width: 15,
			cell: ({ name }) => (last[name] ? <Time value={last[name].at} /> : "–"),
		},
		{
			key: "live.result",
			title: t("column.result"),
			width: 15,
			cell: ({ name }) => {
				const result = last[name]?.result;
				return result ? <StatusLabel status={lookOf(result, heard)}>{t(`result.${result}`)}</StatusLabel> : "–";
			},
		},
		{ key: "description", title: t("user.field.description") },
	];
	return (
		<ResourceSection
			resource={users}
			ns="radius/user"
			icon={UsersIcon}
			columns={columns}
			bulk={bulk}
			defaultSort="name"
			form={() => import("./userForm")}
		/>
	);
}
