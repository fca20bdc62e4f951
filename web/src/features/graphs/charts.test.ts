import { expect, test } from "vitest";
import { chartsOf, endOf, rangeOf, timesOf } from "./charts";

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

test("words of the address", () => {
	expect(rangeOf("week")).toBe("week");
	expect(rangeOf("toString")).toBe("hour");
	expect(endOf("interface.br.lan.sent")).toBe("sent");
});
