import { expect, test } from "vitest";
import { addressText, networkText, rangeText, shortText } from "./ip";
import { type Known, resolveAddresses, resolveServices, Unknown } from "./resolve";
import { nameText, readAddress, readService, readServices, serviceText, tokensOf } from "./typed";

test.each([
	["10.0.0.1", "10.0.0.1"],
	["010.0.0.1", undefined],
	["256.0.0.1", undefined],
	["2001:DB8:0:0:1:0:0:1", "2001:db8::1:0:0:1"],
	["2001:db8::", "2001:db8::"],
	["::", "::"],
	["1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"],
	["::ffff:c000:207", "192.0.2.7"],
	["1::2::3", undefined],
	["1:2:3", undefined],
])("the address %s is stored as %s", (typed, stored) => expect(addressText(typed)).toBe(stored));

test.each([
	["10.9.8.7/8", "10.0.0.0/8"],
	["10.0.0.255/31", "10.0.0.254/31"],
	["10.0.0.1/0", "0.0.0.0/0"],
	["10.0.0.1/33", undefined],
	["10.0.0.1/08", undefined],
	["2001:db8:0:1:ff::/56", "2001:db8::/56"],
	["2001:db8::1/128", "2001:db8::1/128"],
])("the network %s is stored as %s", (typed, stored) => expect(networkText(typed)).toBe(stored));

test("ranges have the lower address first, and one address has no length", () => {
	expect(rangeText("10.0.0.1 - 10.0.0.9")).toBe("10.0.0.1-10.0.0.9");
	expect(rangeText("10.0.0.9-10.0.0.1")).toBeUndefined();
	expect(rangeText("10.0.0.9-::1")).toBeUndefined();
	expect(["10.0.0.1/32", "::1/128", "10.0.0.0/8", "::/32"].map(shortText)).toEqual([
		"10.0.0.1",
		"::1",
		"10.0.0.0/8",
		"::/32",
	]);
});

test.each([
	["tcp/8443", { protocol: "tcp", port: 8443 }],
	["UDP/5000-5010", { protocol: "udp", port: 5000, port_end: 5010 }],
	["tcp/80-80", { protocol: "tcp", port: 80 }],
	["icmp/8", { protocol: "icmp", icmp_type: 8 }],
	["icmp", { protocol: "icmp" }],
	["gre", { protocol: "gre" }],
	["gre/1", undefined],
	["tcp/0", undefined],
	["tcp/9-8", undefined],
	["tcp/70000", undefined],
	["https", undefined],
])("the service %s", (typed, read) => expect(readService(typed)).toEqual(read));

test("a list has commas between, names with commas are quoted, and ports follow their protocol", () => {
	expect(tokensOf('a , "b, ""c""",, d').map(({ text }) => text)).toEqual(["a", 'b, "c"', "d"]);
	expect(tokensOf(nameText('b, "c"', false))).toEqual([{ text: 'b, "c"', quoted: true }]);
	expect(readServices("tcp/80, 443, udp, 53").map(({ service }) => service && serviceText(service))).toEqual([
		"tcp/80",
		"tcp/443",
		"udp",
		undefined,
	]);
	expect(readAddress("Www.Example.com")).toEqual({ kind: "fqdn", value: "www.example.com" });
	expect(readAddress("printers")).toBeUndefined();
});

const known = (): Known => ({
	addresses: [{ id: "a1", name: "printers", kind: "network", value: "192.0.2.0/24" }],
	addressGroups: [{ id: "g1", name: "offices", members: ["a1"], member_count: 1 }],
	services: [{ id: "s1", name: "HTTPS", protocol: "tcp", port: 443, port_end: null, icmp_type: null }],
	serviceGroups: [],
});
const making = () => ({ operations: [], newId: () => "new" });

test("what is there is used, by its name or by what it is", () => {
	expect(resolveAddresses("", known(), making())).toEqual({ kind: "any" });
	expect(resolveAddresses("192.0.2.9/24", known(), making())).toMatchObject({ kind: "cidr", cidr: "192.0.2.0/24" });
	expect(resolveAddresses("printers", known(), making())).toEqual({
		kind: "object",
		id: "a1",
		words: "printers (192.0.2.0/24)",
	});
	expect(resolveAddresses("offices", known(), making())).toMatchObject({ kind: "group", id: "g1" });
	expect(resolveServices("tcp/443", known(), making())).toEqual({ kind: "object", id: "s1", words: "HTTPS (tcp/443)" });
	expect(() => resolveAddresses("printers, offices", known(), making())).toThrow(Unknown);
	expect(() => resolveServices("tcp/99999", known(), making())).toThrow(Unknown);
});
