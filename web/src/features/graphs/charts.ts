import type { Graphs, GraphsSeries } from "@api";
import { formatBytes, formatNumber, formatPercent, formatRate } from "@ui";
import type { HistoryProps } from "@ui/feature";
import { smallTime } from "@ui/smallTime";

/** ranges are how far back one can look, in seconds. */
export const ranges = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, year: 31_536_000 } as const;
export type Range = keyof typeof ranges;

export const rangeOf = (text: string | undefined): Range =>
	text && Object.hasOwn(ranges, text) ? (text as Range) : "hour";

/** Chart is some series that are drawn together. */
export interface Chart {
	id: string;
	/** Its title among the words: that of the id, or of all charts of the kind. */
	title: string;
	/** Name of the area on whose page it stands too. */
	area: string;
	/** The interface it is of. */
	link?: string;
	names: string[];
}

const once = (area: string, id: string, ...names: string[]): Chart => ({ id, title: id, area, names });

/** fixed are the charts that there is one of. */
export const fixed: Chart[] = [
	once("system", "cpu", "cpu.busy"),
	once("system", "memory", "memory.used"),
	once("system", "disk", "disk.used"),
	once("firewall", "connections", "connections.tracked"),
	once("firewall", "dropped", "firewall.dropped"),
	once("proxy", "requests", "proxy.requests", "proxy.errors"),
	once("proxy", "clients", "proxy.connections"),
	once("proxy", "sites", "proxy.received", "proxy.sent"),
	once("dns", "queries", "dns.queries", "dns.hits", "dns.failures"),
	once("dhcp", "leases", "dhcp.leases"),
	once("ntp", "clock", "ntp.offset", "ntp.jitter"),
	once("ntp", "stratum", "ntp.stratum"),
];

/** Series of which there is one for each interface. */
const each = [
	{ title: "traffic", area: "network", kind: "interface", ends: ["received", "sent"] },
	{ title: "peers", area: "tunnel", kind: "tunnel", ends: ["connected"] },
];

/** linksOf are the interfaces that have series of a kind; their names may have dots. */
const linksOf = (series: GraphsSeries[], kind: string) =>
	[...new Set(series.flatMap(({ name }) => new RegExp(`^${kind}\\.(.+)\\.[^.]+$`).exec(name)?.[1] ?? []))].sort();

/** chartsOf puts the series that there are together: what there is once, then what each interface has. */
export function chartsOf(series: GraphsSeries[]): Chart[] {
	const known = new Set(series.map(({ name }) => name));
	const links = each.flatMap(({ title, area, kind, ends }) =>
		linksOf(series, kind).map((link) => ({
			id: `${title}.${link}`,
			title,
			area,
			link,
			names: ends.map((end) => `${kind}.${link}.${end}`),
		})),
	);
	return [...fixed.filter(({ names }) => names.some((name) => known.has(name))), ...links];
}

/** chartsFor are those of an area, or all of one thing in it. */
export const chartsFor = (charts: Chart[], { area, of }: HistoryProps): Chart[] =>
	charts.filter((chart) => (of === undefined ? chart.area === area && !chart.link : chart.link === of));

/** Charts that say most about a node, and of the links as many as one answer has room for. */
const glance = ["cpu", "memory", "requests"];
const mostLinks = 8;

/** atAGlance are the charts of the dashboard: of the links all that may be the busiest. */
export const atAGlance = (charts: Chart[]): Chart[] => [
	...charts.filter(({ id }) => glance.includes(id)),
	...charts.filter(({ title }) => title === "traffic").slice(0, mostLinks),
];

const sum = (values: (number | null)[]) => values.reduce<number>((all, one) => all + (one ?? 0), 0);

/** ofTheBusiest leaves the busiest of the links. */
export function ofTheBusiest(charts: Chart[], { series }: Graphs): Chart[] {
	const through = ({ names }: Chart) =>
		sum(series.filter(({ name }) => names.includes(name)).flatMap(({ avg }) => avg));
	const [busiest] = charts
		.filter(({ link }) => link)
		.map((chart) => ({ chart, bytes: through(chart) }))
		.sort((a, b) => b.bytes - a.bytes);
	return charts.filter((chart) => !chart.link || chart === busiest?.chart);
}

/** wholeOf is the place of the last step that is over: of the one under way not all is known. now is in seconds. */
export function wholeOf(found: Graphs, now: number): number {
	const times = timesOf(found);
	const last = times.length - 1;
	return (times[last] ?? 0) + found.step_seconds > now ? last - 1 : last;
}

/** latestOf is the value of the first line of a chart in that step, as its legend has it; undefined when there is none. */
export function latestOf({ names }: Chart, found: Graphs, now: number) {
	const line = found.series.find(({ name }) => name === names[0]);
	const value = line?.avg[wholeOf(found, now)];
	return line && value !== undefined && value !== null ? { unit: line.unit, value } : undefined;
}

/** endOf is the last word of a name, for the legend: "received". */
export const endOf = (name: string) => name.slice(name.lastIndexOf(".") + 1);

/** timesOf are the moments of an answer, in seconds since 1970. */
export function timesOf({ since, step_seconds, series }: Graphs): number[] {
	const begin = Date.parse(since) / 1_000;
	return Array.from(
		{ length: Math.max(0, ...series.map(({ avg }) => avg.length)) },
		(_, i) => begin + i * step_seconds,
	);
}

/** formatOf words a value of a unit. */
export function formatOf(unit: GraphsSeries["unit"]): (value: number) => string {
	switch (unit) {
		case "percent":
			return (value) => formatPercent(value / 100);
		case "bytes":
			return formatBytes;
		case "bytes_per_second":
			return formatRate;
		case "seconds":
			return (value) => smallTime(value, formatNumber);
		case "per_second":
		case "packets_per_second":
			return (value) => `${few(value)}/s`;
		default:
			return few;
	}
}

/** few words small numbers with a digit behind the point: between 0 and 3 there is more than 1 and 2. */
const few = (value: number) => formatNumber(value, Math.abs(value) < 10 ? 1 : 0);
