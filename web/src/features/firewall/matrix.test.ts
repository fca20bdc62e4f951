import type { FirewallCell } from "@api";
import { expect, test } from "vitest";
import { cellsOf, listOf, remarkOf, startBetween, wordsOf } from "./matrix";
import { matchOf, targetOf } from "./nat";

const cell = (more: Partial<FirewallCell>): FirewallCell => ({
	src: "lan",
	dst: "wan",
	reach: "some",
	services: [],
	service_count: 0,
	except: [],
	except_count: 0,
	some_addresses: false,
	decided: [],
	more: false,
	...more,
});

const t = (key: string, values: Record<string, unknown> = {}) => [key, ...Object.values(values)].join(" ");

test.each<[string, Partial<FirewallCell>, string, string]>([
	["everything", { reach: "all" }, "matrix.reach.all", ""],
	["nothing", { reach: "none", except_count: 9 }, "matrix.reach.none", ""],
	["no interface", { reach: "none", reason: "no_interface" }, "matrix.reach.none", "matrix.reason.no_interface"],
	["two services", { service_count: 2, except_count: 9 }, "matrix.some 2", ""],
	["all but one", { service_count: 9, except_count: 1 }, "matrix.allBut 1", ""],
	["all services of some hosts", { service_count: 9, some_addresses: true }, "matrix.someAddresses", ""],
	["one of some hosts", { service_count: 1, except_count: 9, some_addresses: true }, "matrix.some 1", "matrix.narrow"],
])("a cell in words: %s", (_, more, words, remark) => {
	expect(wordsOf(cell(more), t)).toBe(words);
	expect(remarkOf(cell(more), t)).toBe(remark);
});

test("a cell lists what passes, or what does not where that is shorter", () => {
	const some = { services: ["tcp/80", "other"], service_count: 7, except: ["tcp/25"], except_count: 9 };
	expect(listOf(cell(some), t)).toEqual({ title: "matrix.serviceList", services: ["tcp/80", "matrix.other"], more: 5 });
	expect(listOf(cell({ ...some, except_count: 1 }), t)).toEqual({
		title: "matrix.exceptList",
		services: ["tcp/25"],
		more: 0,
	});
	expect(listOf(cell({ reach: "all" }), t)).toBeUndefined();
});

test("cells are found by their zones, and a new rule begins between them", () => {
	const one = cell({ dst: "gateway" });
	expect(cellsOf([one])("lan", "gateway")).toBe(one);
	expect(cellsOf([one])("lan", "wan")).toBeUndefined();
	expect(startBetween(one)).toEqual({ src_zone: "lan", dst_zone: "any" });
	expect(startBetween(cell({}))).toEqual({ src_zone: "lan", dst_zone: "wan" });
});

test("what a NAT rule matches and makes of it", () => {
	const all = { source_cidr: "", destination_cidr: "", dest_port: null, dest_port_end: null };
	expect(matchOf(all)).toBe("");
	expect(matchOf({ ...all, source_cidr: "10.0.0.0/8", dest_port: 80, dest_port_end: 90 })).toBe("10.0.0.0/8 → :80-90");
	expect(matchOf({ ...all, destination_cidr: "192.0.2.1/32", dest_port: 25 })).toBe("192.0.2.1:25");
	expect(matchOf({ ...all, destination_cidr: "2001:db8::1/128", dest_port: 25 })).toBe("[2001:db8::1]:25");
	expect(matchOf({ ...all, destination_cidr: "192.0.2.0/24", dest_port: 25 })).toBe("192.0.2.0/24 :25");
	expect(targetOf({ target_address: "2001:db8::1", target_port: 443, target_port_end: null })).toBe(
		"[2001:db8::1]:443",
	);
	expect(targetOf({ target_address: "", target_port: null, target_port_end: null })).toBe("");
});
