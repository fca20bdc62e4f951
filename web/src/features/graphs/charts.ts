import type { Graphs, GraphsSeries } from "@api";
import { formatBytes, formatNumber, formatPercent, formatRate } from "@ui";

/** ranges are how far back one can look, in seconds. */
export const ranges = { hour: 3_600, day: 86_400, week: 604_800, month: 2_592_000, year: 31_536_000 } as const;
export type Range = keyof typeof ranges;

export const rangeOf = (text: string | undefined): Range =>
	text && Object.hasOwn(ranges, text) ? (text as Range) : "hour";

/** Chart is some series that are drawn together. */
export interface Chart {
	id: string;
	/** The interface it is of. */
	link?: string;
	names: string[];
}

const fixed: Chart[] = [
	{ id: "cpu", names: ["cpu.busy"] },
	{ id: "memory", names: ["memory.used"] },
	{ id: "disk", names: ["disk.used"] },
	{ id: "connections", names: ["connections.tracked"] },
];

const link = /^interface\.(.+)\.(received|sent|dropped)$/;

/** chartsOf puts the series that there are together: what belongs to the node, then each interface. */
export function chartsOf(series: GraphsSeries[]): Chart[] {
	const known = new Set(series.map(({ name }) => name));
	const links = [...new Set(series.flatMap(({ name }) => link.exec(name)?.[1] ?? []))].sort();
	return [
		...fixed.filter(({ names }) => names.some((name) => known.has(name))),
		...links.map((name) => ({
			id: `traffic.${name}`,
			link: name,
			names: [`interface.${name}.received`, `interface.${name}.sent`],
		})),
	];
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
		default:
			return (value) => formatNumber(value);
	}
}
