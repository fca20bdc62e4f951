import type { NetworkInterface, SysInterface } from "@api";
import { Figures, formatBytes, formatNumber, formatRate, Link, LiveChart, PropertyList } from "@ui";
import { timesOf, valuesOf } from "@ui/history";
import { rx, tx } from "@ui/links";
import { useTranslation } from "@ui/translation";
import { type Links, useInterfaces } from "./requests";

/** Below 10 kbit/s the chart does not zoom in any further. */
const quiet = 1_250;

/** OverviewTab is what an interface does right now: its throughput, its counters, and what the kernel says of it. */
export function OverviewTab({ row, links }: { row: NetworkInterface; links: Links }) {
	const { t } = useTranslation("network");
	const link = links.of(row.name);
	const series = [
		{ label: t("received"), values: valuesOf(links.points, rx(row.name)) },
		{ label: t("sent"), values: valuesOf(links.points, tx(row.name)) },
	];
	return (
		<div className="gw-net-parts">
			{link && (
				<>
					<section className="gw-panel" aria-label={t("traffic")}>
						<LiveChart
							label={t("traffic")}
							times={timesOf(links.points)}
							series={series}
							format={formatRate}
							atLeast={quiet}
						/>
					</section>
					<Counters link={link} />
				</>
			)}
			<section className="gw-panel" aria-label={t("overview.kernel")}>
				<Facts row={row} link={link} />
			</section>
		</div>
	);
}

function Counters({ link }: { link: SysInterface }) {
	const { t } = useTranslation("network");
	const packets = (count: number) => t("overview.packets", { count, shown: formatNumber(count) });
	return (
		<Figures
			label={t("overview.counters")}
			items={[
				{ title: t("received"), value: formatBytes(link.rx_bytes), hint: packets(link.rx_packets) },
				{ title: t("sent"), value: formatBytes(link.tx_bytes), hint: packets(link.tx_packets) },
				{ title: t("overview.rxDrop"), value: formatNumber(link.rx_drop) },
				{ title: t("overview.txDrop"), value: formatNumber(link.tx_drop) },
			]}
		/>
	);
}

function Facts({ row, link }: { row: NetworkInterface; link: SysInterface | undefined }) {
	const { t } = useTranslation("network");
	const all = useInterfaces() ?? [];
	const lower = row.type === "vlan" ? [row.parent] : (row.members ?? []);
	const upper = all.filter(({ parent, members }) => parent === row.name || members?.includes(row.name));
	const addresses = (link?.addr_info ?? []).map(({ local, prefixlen }) => `${local}/${prefixlen}`).join(", ");
	const named = (names: string[]) => <Names names={names} rows={all} />;
	return (
		<PropertyList
			items={[
				[t("overview.lower"), lower.length > 0 ? named(lower) : undefined],
				[t("overview.upper"), upper.length > 0 ? named(upper.map(({ name }) => name)) : undefined],
				[t("overview.addresses"), link ? addresses || "–" : undefined],
				[t("overview.mac"), link?.address || undefined],
				[t("link.field.mtu"), link ? String(link.mtu) : row.mtu ? String(row.mtu) : undefined],
				[t("overview.flags"), link ? link.flags.join(", ") : undefined],
				[t("link.field.description"), row.description || undefined],
			]}
		/>
	);
}

/** Names lead to the interfaces that are configured. */
function Names({ names, rows }: { names: string[]; rows: NetworkInterface[] }) {
	return names.map((name, i) => {
		const row = rows.find((one) => one.name === name);
		return (
			<span key={name}>
				{i > 0 && ", "}
				{row ? <Link to={`/interfaces/${row.id}`}>{name}</Link> : name}
			</span>
		);
	});
}
