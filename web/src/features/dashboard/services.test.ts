import type { Problem, SystemService } from "@api";
import { expect, test } from "vitest";
import { counts, sorted } from "./services";

const service = (name: string, active_state: string, installed: boolean | null = true) =>
	({ name, active_state, installed }) as SystemService;

const list = [
	service("api", "active"),
	service("radius", "inactive", false),
	service("dns", "failed"),
	service("ntp", "active"),
	service("ids", "inactive"),
	service("waf", "unknown", null),
	service("packet-filter", "kernel-loaded"),
];

test("trouble comes first, the rest keeps the server's order", () => {
	expect(sorted(list).map((one) => one.name)).toEqual(["dns", "waf", "api", "ntp", "packet-filter", "radius", "ids"]);
});

test("how many run of those that are to", () => {
	const off = { ...service("snmp", "inactive"), off: true };
	expect(counts([...list, off], [])).toEqual({ running: 3, wanted: 6 });
	const on = (id: string, severity: Problem["severity"]) =>
		({ code: "dns.x", severity, subject: { kind: "service", id } }) as Problem;
	expect(counts(list, [on("ntp", "error"), on("api", "warning")])).toEqual({ running: 2, wanted: 6 });
});
