import type { SysResources } from "@api";
import { expect, test } from "vitest";
import { cpuShare, withResources } from "./rates";

const resources = (busy: number, total: number, conntrack?: SysResources["conntrack"]) =>
	({
		cpu: { busy_seconds: busy, total_seconds: total },
		memory: { used: 1, total: 4 },
		disk: { used: 9, free: 1, total: 12 },
		conntrack,
	}) as SysResources;

test("the processor's share is the busy part of the time between two looks", () => {
	const at = (busy: number, total: number) => ({ busy_seconds: busy, total_seconds: total });
	expect(cpuShare(at(10, 100), at(12, 108))).toBe(0.25);
	expect(cpuShare(at(10, 100), at(10, 100))).toBeNull();
	expect(cpuShare(at(90, 1000), at(1, 8))).toBeNull();
	expect(cpuShare(at(0, 0), at(8.1, 8))).toBe(1);
});

test("resources become points; the first has no processor share yet", () => {
	const first = withResources(undefined, resources(10, 100), 1000);
	expect(first.points).toEqual([{ time: 1000, values: { cpu: null, memory: 0.25, disk: 0.9, conntrack: null } }]);
	const second = withResources(first, resources(14, 108, { count: 7, max: 10 }), 1002);
	expect(second.points.at(-1)?.values).toEqual({ cpu: 0.5, memory: 0.25, disk: 0.9, conntrack: 7 });
});

test("after a hidden tab the line breaks instead of averaging over the silence", () => {
	const first = withResources(undefined, resources(10, 100), 1000);
	const later = withResources(first, resources(90, 900), 1100);
	expect(later.points).toHaveLength(3);
	expect(later.points[1]).toEqual({ time: 1002, values: {} });
	expect(later.points[2]?.values.cpu).toBeNull();
	expect(withResources(later, resources(94, 908), 1102).points.at(-1)?.values.cpu).toBe(0.5);
});
