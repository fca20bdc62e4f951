import type { PacketlogEvent } from "@api";
import { expect, test } from "vitest";
import { blockedOf } from "./blocked";

const event = (source: string, action: string, port?: number) =>
	({
		source,
		action,
		port,
		proto: port ? "tcp" : "icmp",
		timestamp: `2026-01-01T00:00:${port ?? 0}Z`,
	}) as PacketlogEvent;

test("the busiest sender comes first, with what it asked for most", () => {
	const found = blockedOf([
		event("192.0.2.9", "accept", 1),
		event("192.0.2.1", "drop", 22),
		event("192.0.2.2", "drop", 23),
		event("192.0.2.2", "reject", 25),
		event("192.0.2.2", "drop", 25),
	]);
	expect(found).toEqual({
		count: 4,
		since: "2026-01-01T00:00:22Z",
		sources: [
			{ address: "192.0.2.2", count: 3, services: ["tcp/25", "tcp/23"] },
			{ address: "192.0.2.1", count: 1, services: ["tcp/22"] },
		],
	});
});

test("what passed is not blocked", () => {
	expect(blockedOf([event("192.0.2.1", "accept")])).toEqual({ count: 0, since: undefined, sources: [] });
});
