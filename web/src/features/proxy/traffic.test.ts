import type { ProxyStats } from "@api";
import { expect, test } from "vitest";
import { busiest, figure, namesOf, withStats, withTraffic } from "./traffic";

const stats = (requests: number, pools: Record<string, number>): ProxyStats =>
	({
		error: null,
		frontends: ["gateway_https", "management"].map((name) => ({
			name,
			sessions: 3,
			req_tot: requests,
			bytes_in: requests * 10,
			bytes_out: requests * 100,
		})),
		backends: Object.entries(pools).map(([backend_id, req_tot]) => ({
			backend_id,
			server: "BACKEND",
			req_tot,
			errors: req_tot / 10,
			response_time: 7,
		})),
	}) as unknown as ProxyStats;

const at = (history: ReturnType<typeof withStats>, what: string, whom: string) =>
	history.points.at(-1)?.values[figure(what, whom)];

test("rates are what was counted between two looks, and the management interface is no site", () => {
	const first = withStats(undefined, stats(100, { a: 50 }), 1_000);
	expect(at(first, "sessions", "gateway_https")).toBe(3);
	expect(at(first, "requests", "gateway_https")).toBeUndefined();
	const second = withStats(first, stats(120, { a: 70 }), 1_002);
	expect(at(second, "requests", "gateway_https")).toBe(10);
	expect(at(second, "out", "gateway_https")).toBe(1_000);
	expect(at(second, "requests", "a")).toBe(10);
	expect(at(second, "errors", "a")).toBe(1);
	expect(Object.keys(second.points.at(-1)?.values ?? {}).some((key) => key.includes("management"))).toBe(false);
});

test("a reload starts the counters anew, and a silence leaves a hole", () => {
	const first = withStats(undefined, stats(100, { a: 50 }), 1_000);
	expect(at(withStats(first, stats(3, { a: 1 }), 1_002), "requests", "gateway_https")).toBeNull();
	expect(at(withStats(first, stats(200, { a: 90 }), 1_060), "requests", "a")).toBeUndefined();
});

test("of very many pools those with the most to do are kept, the busiest first", () => {
	const many = (grown: number) =>
		Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`p${n}`, 1_000 + n * grown]));
	const history = withStats(withStats(undefined, stats(0, many(0)), 1_000), stats(0, many(1)), 1_002);
	expect(namesOf(history.points)).toHaveLength(20);
	expect(busiest(history.points, namesOf(history.points), 2)).toEqual(["p499", "p498"]);
});

test("what is asked of a site is told from the second look on, also for one that nobody asked before", () => {
	const asked = (requests: Record<string, number>) =>
		Object.entries(requests).map(([domain_id, n]) => ({
			domain_id,
			requests: n,
			errors: 0,
			client_errors: 0,
			milliseconds: 0,
		}));
	const first = withTraffic(undefined, asked({ a: 1_000 }), 1_000);
	expect(first.points.at(-1)?.values).toEqual({});
	const second = withTraffic(first, asked({ a: 1_010, b: 4 }), 1_002);
	expect(second.points.at(-1)?.values).toMatchObject({ "requests a": 5, "requests b": 2 });
	expect(withTraffic(second, asked({ a: 3 }), 1_004).points.at(-1)?.values["requests a"]).toBeNull();
});
