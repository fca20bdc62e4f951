import type { DnsRecord } from "@api";
import { GlobeIcon } from "@patternfly/react-icons";
import { type Column, formatDuration, ResourceSection } from "@ui";
import { useTranslation } from "@ui/translation";
import { useZoneChoices } from "./requests";
import { bare, records } from "./resource";

/** RecordsTab is what the resolver answers by itself. */
export function RecordsTab() {
	const { t } = useTranslation("dns");
	const zones = useZoneChoices();
	const columns: Column<DnsRecord>[] = [
		{ key: "fqdn", title: t("record.field.name"), sortable: true, width: 35, cell: (one) => <Name record={one} /> },
		{ key: "type", title: t("record.field.type"), sortable: true, width: 10 },
		{ key: "value", title: t("record.field.value"), sortable: true, width: 35, cell: (one) => <Value record={one} /> },
		{ key: "ttl", title: t("record.field.ttl"), sortable: true, width: 15, cell: (one) => formatDuration(one.ttl) },
	];
	const filter = {
		key: "filter",
		label: t("allZones"),
		options: zones.map(({ value, label }) => ({ value: `zone_id:${value}`, label })),
	};
	return (
		<ResourceSection
			resource={records}
			ns="dns/record"
			icon={GlobeIcon}
			columns={columns}
			filters={[filter]}
			defaultSort="fqdn"
			form={() => import("./recordForm")}
		/>
	);
}

function Name({ record }: { record: DnsRecord }) {
	const name = bare(record.fqdn);
	return <span title={name}>{name}</span>;
}

function Value({ record }: { record: DnsRecord }) {
	return (
		<code className="gw-mono" title={record.value}>
			{record.value}
		</code>
	);
}
