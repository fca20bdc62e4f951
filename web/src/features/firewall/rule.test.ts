import { expect, test } from "vitest";
import { hitShare, inputOf, linkTo, startOf, stateOf } from "./rule";
import type { Rule } from "./rules";
import { served, serving } from "./service";

const now = Date.parse("2026-01-02T00:00:00Z");

test("a rule that expired is off whatever its switch says", () => {
	expect(stateOf({ enabled: true, expires_at: "2026-01-01T00:00:00Z" }, now)).toBe("expired");
	expect(stateOf({ enabled: true, expires_at: "2026-01-03T00:00:00Z" }, now)).toBe("on");
	expect(stateOf({ enabled: false, expires_at: null }, now)).toBe("off");
});

test("a new rule begins with what the address says, else between the zones that are shown, and chooses nothing itself", () => {
	expect(startOf({ do: "create", src: "lan", dst: "wan" })).toMatchObject({ src_zone: "lan", dst_zone: "wan" });
	const start = { src_zone: "guest", source: "192.0.2.1" };
	expect(startOf({ ...linkTo(start), src: "lan" })).toMatchObject(start);
	expect(startOf({ do: "create", id: '{"src_zone":"gu' })).toMatchObject({ src_zone: "", dst_zone: "", action: "" });
	expect(startOf({ do: "edit", id: "3" })).toMatchObject({ src_zone: "" });
});

test("a rule goes back to the server without what the server says itself", () => {
	const rule = { id: "1", revision: 3, priority: 7, name: "a", src_object_id: null, source: "x", labels: [] };
	expect(inputOf(rule as unknown as Rule)).toEqual({ name: "a", source: "x", labels: [] });
});

test("a service or a group of them is one question of the form", () => {
	const response = new Response();
	const row = (ids: object) => served({ data: { id: "1", ...ids }, response }).data;
	expect(row({ service_object_id: "s", service_group_id: null })).toMatchObject({ service_kind: "object" });
	expect(row({ service_group_id: "g" })).toMatchObject({ service_kind: "group" });
	expect(served({ data: [{ id: "1" }], response }).data).toEqual([{ id: "1", service_kind: "any" }]);
	expect(served({ data: { rows: [], files: [] }, response }).data).toEqual({ rows: [], files: [] });
	expect(serving({ name: "a", service_kind: "any" })).toEqual({ name: "a" });
});

test("the bar of a rule says how often, by powers", () => {
	expect(hitShare(0, 100)).toBe(0);
	expect(hitShare(100, 100)).toBe(1);
	expect(hitShare(1_000, 1_000_000)).toBeCloseTo(0.5, 2);
});
