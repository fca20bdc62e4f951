import type { NetworkLiveRoute, NetworkRoute } from "@api";
import { expect, test } from "vitest";
import { compared, fits, kernelOf, markOf, wayText } from "./routes";

const wanted = (destination: string, more: Partial<NetworkRoute> = {}) =>
	({
		id: destination,
		revision: 1,
		destination,
		type: "unicast",
		gateway: "192.0.2.254",
		dev: "",
		metric: null,
		table_name: "main",
		onlink: false,
		active: true,
		comment: "",
		...more,
	}) as NetworkRoute;

const there = (destination: string, more: Partial<NetworkLiveRoute> = {}) =>
	({
		destination,
		family: destination.includes(":") ? "inet6" : "inet",
		type: "unicast",
		gateway: "192.0.2.254",
		dev: "eth0",
		source: "",
		metric: destination.includes(":") ? 1024 : 0,
		table_name: "main",
		protocol: "gateway",
		multipath: false,
		...more,
	}) as NetworkLiveRoute;

const ten = "10.0.0.0/8";
const mark = (route: NetworkRoute, live: NetworkLiveRoute[]) => markOf(route, kernelOf(live));

test.each([
	["the same one is live", wanted(ten), [there(ten)], "live"],
	["nothing there is missing", wanted(ten), [], "missing"],
	["another metric is another route", wanted(ten, { metric: 5 }), [there(ten)], "missing"],
	["another table is another route", wanted(ten, { table_name: "7" }), [there(ten)], "missing"],
	["another gateway differs", wanted(ten), [there(ten, { gateway: "192.0.2.1" })], "differs"],
	["another interface differs", wanted(ten, { dev: "eth1" }), [there(ten)], "differs"],
	["another program's is taken", wanted(ten), [there(ten, { protocol: "dhcp" })], "taken"],
	["a disabled one is not looked for", wanted(ten, { active: false }), [], "inactive"],
	[
		"IPv6 has a metric of its own",
		wanted("::/0", { gateway: "fe80::1" }),
		[there("::/0", { gateway: "fe80::1" })],
		"live",
	],
	[
		"what discards has the kernel's loopback as its interface",
		wanted("2001:db8::/32", { type: "blackhole", gateway: "" }),
		[there("2001:db8::/32", { type: "blackhole", gateway: "", dev: "lo" })],
		"live",
	],
])("%s", (_, route, live, want) => expect(mark(route, live)).toBe(want));

test("nobody knows while the kernel does not answer", () => expect(markOf(wanted(ten), undefined)).toBe("unknown"));

test("differences come first: missing ones, others' and what is left over; the node's own addresses last", () => {
	const rows = compared(
		[
			there("192.0.2.1/32", { table_name: "local", type: "local", protocol: "kernel", gateway: "" }),
			there("0.0.0.0/0", { protocol: "dhcp", gateway: "192.0.2.1" }),
			there(ten),
			there("172.16.0.0/12"),
			there("198.51.100.0/24", { protocol: "static" }),
		],
		[wanted(ten), wanted("203.0.113.0/24"), wanted("198.51.100.0/24"), wanted("100.64.0.0/10", { active: false })],
	);
	expect(rows.map((row) => [row.destination, row.mark, Boolean(row.there), Boolean(row.wanted)])).toEqual([
		["203.0.113.0/24", "missing", false, true],
		["172.16.0.0/12", "left", true, false],
		["198.51.100.0/24", "taken", true, true],
		["0.0.0.0/0", undefined, true, false],
		[ten, "live", true, true],
		["192.0.2.1/32", undefined, true, false],
	]);
	const shown = (query: Record<string, unknown>) =>
		rows.filter((row) => fits(row, query)).map((row) => row.destination);
	expect(shown({ show: "differences" })).toHaveLength(3);
	expect(shown({ table: "local" })).toEqual(["192.0.2.1/32"]);
	expect(shown({ q: "DHCP" })).toEqual(["0.0.0.0/0"]);
});

test("where a route leads, in the words of iproute2", () => {
	expect(wayText({ type: "unicast", gateway: "192.0.2.254", dev: "eth0", onlink: true })).toBe(
		"via 192.0.2.254 dev eth0 onlink",
	);
	expect(wayText({ type: "blackhole", gateway: "", dev: "" })).toBe("blackhole");
});
