import { type DnsZone, useStates } from "@api";
import { LayerGroupIcon } from "@patternfly/react-icons";
import { type Column, Link, ObjectState, ResourceSection, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { zones } from "./resource";

/** ZonesTab is the domains that the resolver treats by itself. */
export function ZonesTab() {
	const { t } = useTranslation("dns");
	const stateOf = useStates("dns_zone");
	const columns: Column<DnsZone>[] = [
		{
			key: "name",
			title: t("zone.field.name"),
			sortable: true,
			width: 30,
			cell: (zone) => <Link to={`/dns?filter=${encodeURIComponent(`zone_id:${zone.id}`)}`}>{zone.name}</Link>,
		},
		{
			key: "forward_to",
			title: t("zone.field.forward_to"),
			width: 30,
			cell: ({ forward_to = [] }) =>
				forward_to.length > 0 ? <code className="gw-mono">{forward_to.join(", ")}</code> : t("zone.own"),
		},
		{
			key: "live.state",
			title: t("zone.state"),
			cell: (zone) => <ObjectState state={stateOf(zone.id)} normal="serving" />,
		},
		{
			key: "updated_at",
			title: t("zone.updated"),
			sortable: true,
			cell: (zone) => <Time value={zone.updated_at} />,
		},
	];
	return (
		<ResourceSection
			resource={zones}
			ns="dns/zone"
			icon={LayerGroupIcon}
			columns={columns}
			defaultSort="name"
			form={() => import("./zoneForm")}
		/>
	);
}
