import type { NetworkInterface, PacketlogEvent } from "@api";
import { expect, test } from "vitest";
import { added, nothing, pathOf, startFrom } from "./log";

const event = (more: Partial<PacketlogEvent> = {}): PacketlogEvent => ({
	seq: 1,
	timestamp: "2026-01-01T00:00:00Z",
	action: "drop",
	proto: "tcp",
	source: "192.0.2.7",
	source_port: 40_000,
	destination: "198.51.100.1",
	port: 8443,
	interface: "eth1",
	size: 60,
	...more,
});
const roles = [
	{ name: "eth1", role: "guest" },
	{ name: "eth0", role: "wan" },
] as NetworkInterface[];

test("the newest line is on top, and no more are kept than anybody reads", () => {
	const first = added(nothing, { events: [event({ seq: 1 }), event({ seq: 2 })], lost: 0 });
	expect(first.list.map(({ seq }) => seq)).toEqual([2, 1]);
	const flood = Array.from({ length: 6_000 }, (_, n) => event({ seq: n + 3 }));
	const all = added(first, { events: flood, lost: 40 });
	expect([all.list.length, all.list[0]?.seq, all.seen, all.lost]).toEqual([5_000, 6_002, 6_002, 40]);
});

test("another filter is another stream", () => {
	expect(pathOf({ tab: "log" })).toBe("/firewall/log/live");
	expect(pathOf({ src: "192.0.2.0/24", action: "drop", q: "x" })).toBe(
		"/firewall/log/live?src=192.0.2.0%2F24&action=drop",
	);
});

test("a line becomes a rule for just its way, with the opposite action", () => {
	expect(startFrom(event({ out_interface: "eth0" }), roles)).toMatchObject({
		action: "accept",
		src_zone: "guest",
		source: "192.0.2.7",
		dst_zone: "wan",
		destination: "198.51.100.1",
		service: "tcp/8443",
	});
	expect(startFrom(event({ source: "2001:db8::1" }), [])).toMatchObject({ src_zone: "any", dst_zone: "any" });
});

test.each([
	["tcp", 22, "tcp/22"],
	["icmp", undefined, "icmp"],
	["protocol 2", undefined, ""],
])("the service of a line: %s %s", (proto, port, service) => {
	expect(startFrom(event({ proto, port }), roles).service).toBe(service);
});
