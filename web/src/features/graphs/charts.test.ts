import { expect, test } from "vitest";
import {
	atAGlance,
	chartsFor,
	chartsOf,
	endOf,
	fixed,
	formatOf,
	latestOf,
	ofTheBusiest,
	rangeOf,
	timesOf,
} from "./charts";
import de from "./messages/de.json";
import en from "./messages/en.json";

const series = (name: string) => ({ name, unit: "count" as const, last_at: "2026-02-03T12:00:00Z" });

test("interfaces have a chart each, whatever they are called", () => {
	const charts = chartsOf(["interface.eth0.sent", "interface.br.lan.received", "cpu.busy", "odd"].map(series));
	expect(charts.map(({ id }) => id)).toEqual(["cpu", "traffic.br.lan", "traffic.eth0"]);
	expect(charts[1]?.names).toEqual(["interface.br.lan.received", "interface.br.lan.sent"]);
});

test("each step has its moment", () => {
	const line = (avg: (number | null)[]) => ({ name: "a", unit: "count" as const, min: avg, avg, max: avg });
	expect(timesOf({ since: "1970-01-01T00:01:00Z", step_seconds: 10, series: [line([]), line([1, null, 3])] })).toEqual([
		60, 70, 80,
	]);
	expect(timesOf({ since: "1970-01-01T00:01:00Z", step_seconds: 10, series: [] })).toEqual([]);
});

test("the dashboard has the charts that say most, and the busiest link", () => {
	const names = ["cpu.busy", "memory.used", "disk.used", "proxy.requests"];
	const links = Array.from({ length: 12 }, (_, n) => `interface.eth${n}.received`);
	const charts = atAGlance(chartsOf([...names, ...links].map(series)));
	// One answer has at most twenty series.
	expect(charts.flatMap((chart) => chart.names).length).toBeLessThanOrEqual(20);
	const line = (name: string, avg: (number | null)[]) => ({ name, unit: "count" as const, min: avg, avg, max: avg });
	const found = {
		since: "1970-01-01T00:01:00Z",
		step_seconds: 10,
		series: [
			line("interface.eth0.received", [1, null, 2]),
			line("interface.eth1.received", [null, 5, 6]),
			line("cpu.busy", [7, null, 9]),
		],
	};
	const shown = ofTheBusiest(charts, found);
	expect(shown.map(({ id }) => id)).toEqual(["cpu", "memory", "requests", "traffic.eth1"]);
	// The third step begins at 80 and is over at 90. Of one that is over and has no value there is none, not an older one.
	const latest = (now: number) => shown.map((chart) => latestOf(chart, found, now)?.value);
	expect(latest(85)).toEqual([undefined, undefined, undefined, 5]);
	expect(latest(90)).toEqual([9, undefined, undefined, 6]);
});

test("words of the address", () => {
	expect(rangeOf("week")).toBe("week");
	expect(rangeOf("toString")).toBe("hour");
	expect(endOf("interface.br.lan.sent")).toBe("sent");
});

const some = chartsOf(
	["dns.queries", "interface.eth0.sent", "interface.wg0.sent", "tunnel.wg0.connected", "proxy.sent"].map(series),
);

test("an area has its own charts, and a thing all of its own", () => {
	const ids = (area: string, of?: string) => chartsFor(some, { area, of }).map(({ id }) => id);
	expect(ids("dns")).toEqual(["queries"]);
	expect(ids("proxy")).toEqual(["sites"]);
	expect(ids("tunnel", "wg0")).toEqual(["traffic.wg0", "peers.wg0"]);
	expect(ids("network")).toEqual([]);
	expect(ids("ntp")).toEqual([]);
});

test("every chart and every line has its words", () => {
	for (const { title, names } of [...fixed, ...some])
		for (const { chart, series } of [en, de]) {
			expect(chart).toHaveProperty(title);
			for (const name of names) expect(series).toHaveProperty(endOf(name));
		}
});

test("values in their units", () => {
	expect(formatOf("seconds")(-0.0123)).toBe("-12.3 ms");
	expect(formatOf("per_second")(2.55)).toBe("2.6/s");
	expect(formatOf("count")(1200)).toBe("1,200");
});
