import { connection } from "@api";

/** Point is one moment of a history; null stands for a value that is not known. */
export interface Point {
	/** Seconds since 1970, by the browser's clock. */
	time: number;
	values: Record<string, number | null>;
}

/** every is how often the node is asked, in seconds; kept is how far back the charts reach. */
export const every = 2;
export const kept = 300;

/** After a longer silence (a hidden tab, a lost connection) the line breaks. */
const silence = 5 * every;

/** isGap says that nothing was heard between two moments for too long to draw a line. */
export const isGap = (before: number, now: number) => now - before > silence;

/** append adds a point, breaks the line after a silence and forgets what is older than the charts. */
export function append(points: Point[], point: Point): Point[] {
	const last = points.at(-1);
	if (last && point.time <= last.time) return points;
	const gap = last && isGap(last.time, point.time) ? [{ time: last.time + every, values: {} }] : [];
	return [...points, ...gap, point].filter((one) => one.time >= point.time - kept);
}

/** valuesOf is one line of a chart: the values of a key at the times of timesOf. */
export const valuesOf = (points: Point[], key: string) => [null, ...points.map((one) => one.values[key] ?? null)];

/** spanOf is how far back a chart reaches, in seconds: a young history would be lost in a wide one. */
export function spanOf(points: Point[]): number {
	const age = (points.at(-1)?.time ?? 0) - (points[0]?.time ?? 0);
	return [60, 120].find((span) => age <= span) ?? kept;
}

/** timesOf starts a full window ago, so that a young history grows from the right. */
export function timesOf(points: Point[]): number[] {
	const last = points.at(-1)?.time ?? 0;
	return [Math.min(last - spanOf(points), (points[0]?.time ?? 0) - every), ...points.map((one) => one.time)];
}

/** latest is the newest value of a key. */
export const latest = (points: Point[], key: string) => points.at(-1)?.values[key] ?? null;

/** rate is a counter's growth per second; null when it was reset or no time passed. */
export function rate(before: number, now: number, seconds: number): number | null {
	return seconds > 0 && now >= before ? (now - before) / seconds : null;
}

/** History is the points so far with the last answer, which the next one is compared with. */
export interface History<T> {
	last?: T;
	points: Point[];
}

/**
 * live are the options of a query whose answer is the last answers together, so that a history outlives its page
 * and ends with the session. While nobody answers we wait: the connection asks by itself. A hidden tab waits too.
 */
export const live = {
	refetchInterval: () => (connection.state.get() === "api" ? false : every * 1000),
	staleTime: every * 1000,
	gcTime: kept * 1000,
	structuralSharing: false,
} as const;
