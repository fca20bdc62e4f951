import { type FirewallZone, listFirewallZoneUsesOptions, type NetworkInterface } from "@api";
import { ServerGroupIcon } from "@patternfly/react-icons";
import { type Column, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useRoles } from "./requests";
import { zones } from "./resource";
import { Origin } from "./ServicesTab";
import { UsedBy } from "./UsedBy";
import { useUses } from "./useUses";

/** ZonesTab is the zones, and which interfaces are in them. */
export function ZonesTab() {
	const { t } = useTranslation("firewall");
	const roles = useRoles();
	const columns: Column<FirewallZone>[] = [
		{ key: "name", title: t("zone.field.name"), sortable: true, width: 20 },
		{
			key: "live.interfaces",
			title: t("link.title"),
			width: 25,
			cell: (zone) => <Links roles={roles?.filter((role) => role.role === zone.name)} />,
		},
		{ key: "description", title: t("zone.field.description"), width: 35 },
		{ key: "builtin", title: t("origin"), cell: (zone) => <Origin builtin={zone.builtin} /> },
	];
	const uses = useUses<FirewallZone>("zones", zones.name, ({ id }) => listFirewallZoneUsesOptions({ path: { id } }));
	return (
		<ResourceSection
			resource={zones}
			ns="firewall/zone"
			icon={ServerGroupIcon}
			columns={columns}
			defaultSort="name"
			keeps={(zone) => zone.builtin}
			dialogs={[uses]}
			removing={({ id }) => <UsedBy query={listFirewallZoneUsesOptions({ path: { id } })} />}
			form={() => import("./zoneForm")}
		/>
	);
}

function Links({ roles }: { roles: NetworkInterface[] | undefined }) {
	const { t } = useTranslation("firewall");
	if (!roles) return "–";
	const names = roles.map((role) => role.name).join(", ");
	return names ? <code className="gw-mono">{names}</code> : <span className="gw-fw-quiet">{t("zone.noLink")}</span>;
}
