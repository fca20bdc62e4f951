import { type FirewallRule, queryClient, setUp } from "@api";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { answer, ok } from "../../test/server";
import { rules as stored } from "./fixture";
import { lookUp } from "./known";
import { requestOf } from "./ruleRequest";
import { typedOf } from "./ruleTexts";

const address = (id: string, name: string, kind: string, value: string) => ({ id, name, kind, value });
const addresses = [
	address("a1", "printers", "network", "192.0.2.0/24"),
	address("a2", "192.0.2.7", "host", "192.0.2.7"),
	address("a3", "192.0.2.1-192.0.2.9", "range", "192.0.2.1-192.0.2.9"),
	address("a4", 'the "old", one', "host", "192.0.2.8"),
	address("a5", "www.example.com", "fqdn", "www.example.com"),
	address("a6", "10.0.0.0/8", "network", "10.0.0.0/8"),
];
const group = (id: string, name: string, members: string[]) => ({ id, name, members, member_count: members.length });
const addressGroups = [group("g1", "offices", ["a1", "a2"]), group("g2", "10.0.0.0/8, 192.0.2.7", ["a6", "a2"])];
const service = (id: string, name: string, port: number) => ({ id, name, protocol: "tcp", port, port_end: null });
const services = [service("s1", "HTTPS", 443), service("s2", "tcp/8443", 8443), service("s3", "tcp/22", 2222)];
const serviceGroups = [group("h1", "Web", ["s1"]), group("h2", "tcp/443, tcp/8443", ["s1", "s2"])];

const serve = (path: string, rows: { id: string }[]) => ({
	[`GET ${path}`]: () => ok(rows, { "X-Total-Count": String(rows.length) }),
	...Object.fromEntries(rows.map((row) => [`GET ${path}/${row.id}`, () => ok(row)])),
});

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	answer({
		...serve("/firewall/address-objects", addresses),
		...serve("/firewall/address-groups", addressGroups),
		...serve("/firewall/services", services),
		...serve("/firewall/service-groups", serviceGroups),
	});
});

test.each<[string, Partial<FirewallRule>, string]>([
	["any address", { src_kind: "any" }, ""],
	["a network", { src_kind: "cidr", src_cidr: "10.0.0.0/8" }, "10.0.0.0/8"],
	["a host", { src_kind: "cidr", src_cidr: "192.0.2.7/32" }, "192.0.2.7"],
	["an object", { src_kind: "object", src_object_id: "a1" }, "printers"],
	["an object with the name of a host", { src_kind: "object", src_object_id: "a2" }, '"192.0.2.7"'],
	["a range", { src_kind: "object", src_object_id: "a3" }, "192.0.2.1-192.0.2.9"],
	["a name with a comma", { src_kind: "object", src_object_id: "a4" }, '"the ""old"", one"'],
	["a host name", { src_kind: "object", src_object_id: "a5" }, "www.example.com"],
	["a group", { src_kind: "group", src_group_id: "g1" }, "offices"],
	["a group that was made of what is in it", { src_kind: "group", src_group_id: "g2" }, "10.0.0.0/8, 192.0.2.7"],
])("a rule is typed and stored again as it was: %s", async (_, side, text) => {
	const rule = { ...stored[1], src_zone: "lan", ...side } as FirewallRule;
	const typed = await typedOf(rule);
	expect(typed.source).toBe(text);
	const { operations, body } = requestOf({ ...typed, name: "x" }, await lookUp(typed), () => "new");
	expect(operations).toEqual([]);
	const short = (cidr?: string) => cidr?.replace(/\/32$/, "");
	expect({ ...body, src_cidr: short(body.src_cidr) }).toMatchObject({
		...side,
		...(side.src_cidr && { src_cidr: short(side.src_cidr) }),
	});
});

test.each<[string, Partial<FirewallRule>, string]>([
	["any", {}, ""],
	["a service", { service_object_id: "s1" }, "HTTPS"],
	["one that was made of what was typed", { service_object_id: "s2" }, "tcp/8443"],
	["one with the name of another", { service_object_id: "s3" }, '"tcp/22"'],
	["a group", { service_group_id: "h1" }, "Web"],
	["a group that was made of what is in it", { service_group_id: "h2" }, "tcp/443, tcp/8443"],
])("so is its service: %s", async (_, about, text) => {
	const typed = await typedOf({ ...stored[1], ...about } as FirewallRule);
	expect(typed.service).toBe(text);
	const { operations, body } = requestOf({ ...typed, name: "x" }, await lookUp(typed), () => "new");
	expect(operations).toEqual([]);
	expect(body).toMatchObject(about);
});
