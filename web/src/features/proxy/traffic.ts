import type { ProxyBackendStat, ProxyFrontendStat, ProxyStats, ProxyTraffic } from "@api";
import { append, type History, isGap, type Point, rate } from "@ui/history";

/** Pools whose figures are kept at one moment: those with the most to do. There can be ten thousand. */
const kept = 20;
/** The management interface is the operator's own window, not somebody's site. */
const own = "management";

type Values = Point["values"];

/** figure names a line: what is counted, and of whom. */
export const figure = (what: string, whom: string) => `${what} ${whom}`;

export const isPublic = (frontend: ProxyFrontendStat) => frontend.name !== own;

const wholes = (stats: ProxyStats) => stats.backends.filter((row) => row.server === "BACKEND");

function ofFrontend(old: ProxyFrontendStat | undefined, now: ProxyFrontendStat, seconds: number): Values {
	const values: Values = { [figure("sessions", now.name)]: now.sessions };
	if (!old) return values;
	values[figure("requests", now.name)] = rate(old.req_tot, now.req_tot, seconds);
	values[figure("in", now.name)] = rate(old.bytes_in, now.bytes_in, seconds);
	values[figure("out", now.name)] = rate(old.bytes_out, now.bytes_out, seconds);
	return values;
}

function ofPool(old: ProxyBackendStat, now: ProxyBackendStat, seconds: number): Values {
	const id = now.backend_id;
	return {
		[figure("requests", id)]: rate(old.req_tot, now.req_tot, seconds),
		[figure("errors", id)]: rate(old.errors, now.errors, seconds),
		[figure("time", id)]: now.response_time,
	};
}

/** withStats adds an answer of /proxy/stats: what was counted since the one before. */
export function withStats(
	history: History<ProxyStats> | undefined,
	now: ProxyStats,
	time: number,
): History<ProxyStats> {
	const { last, points = [] } = history ?? {};
	const before = points.at(-1)?.time ?? time;
	const old = isGap(before, time) ? undefined : last;
	const seconds = time - before;
	const frontends = now.frontends.filter(isPublic).map((one) =>
		ofFrontend(
			old?.frontends.find((other) => other.name === one.name),
			one,
			seconds,
		),
	);
	const earlier = new Map(old ? wholes(old).map((row) => [row.backend_id, row]) : []);
	const grown = wholes(now)
		.map((row) => ({ row, old: earlier.get(row.backend_id) }))
		.filter((pair): pair is { row: ProxyBackendStat; old: ProxyBackendStat } => pair.old !== undefined)
		.toSorted((a, b) => b.row.req_tot - b.old.req_tot - (a.row.req_tot - a.old.req_tot));
	const pools = grown.slice(0, kept).map((pair) => ofPool(pair.old, pair.row, seconds));
	return { last: now, points: append(points, { time, values: Object.assign({}, ...frontends, ...pools) as Values }) };
}

/** withTraffic adds an answer of /proxy/traffic: what was asked of each site since the one before. */
export function withTraffic(
	history: History<ProxyTraffic[]> | undefined,
	now: ProxyTraffic[],
	time: number,
): History<ProxyTraffic[]> {
	const { last = [], points = [] } = history ?? {};
	const before = points.at(-1)?.time ?? time;
	const seconds = time - before;
	const earlier = new Map(last.map((one) => [one.domain_id, one]));
	const none = { requests: 0, errors: 0 };
	// At the first look, and after a silence, nothing is known of what came just before.
	const told = history && !isGap(before, time) ? now : [];
	const grown = told
		.map((one) => ({ one, old: earlier.get(one.domain_id) ?? none }))
		.toSorted((a, b) => b.one.requests - b.old.requests - (a.one.requests - a.old.requests))
		.slice(0, kept);
	const values = grown.map(({ one, old }) => ({
		[figure("requests", one.domain_id)]: rate(old.requests, one.requests, seconds),
		[figure("errors", one.domain_id)]: rate(old.errors, one.errors, seconds),
	}));
	return { last: now, points: append(points, { time, values: Object.assign({}, ...values) as Values }) };
}

/** busiest are those that did the most over the whole history, the first the busiest. */
export function busiest(points: Point[], ids: string[], most: number): string[] {
	const sum = (id: string) => points.reduce((all, { values }) => all + (values[figure("requests", id)] ?? 0), 0);
	const sums = new Map(ids.map((id) => [id, sum(id)]));
	return ids.toSorted((a, b) => (sums.get(b) ?? 0) - (sums.get(a) ?? 0)).slice(0, most);
}

/** namesOf are the pools, or sites, that have a figure anywhere in the history. */
export const namesOf = (points: Point[]): string[] => [
	...new Set(
		points.flatMap(({ values }) =>
			Object.keys(values)
				.filter((key) => key.startsWith("errors "))
				.map((key) => key.slice("errors ".length)),
		),
	),
];
