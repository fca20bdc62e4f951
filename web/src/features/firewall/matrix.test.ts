import { expect, test } from "vitest";
import { fieldsOf, sidesOf } from "./matrix";
import { matchOf, targetOf } from "./nat";

const cell = (src: string, dst: string, accept: number, deny: number, whole = accept + deny) => ({
	src,
	dst,
	accept,
	deny,
	rules: accept + deny,
	whole,
});

test("a field says what its rules decide together with those for any zone, and without any the packet filter drops", () => {
	const field = fieldsOf([cell("lan", "wan", 2, 0), cell("any", "wan", 0, 1), cell("guest", "any", 0, 3)]);
	expect(field("lan", "wan")).toEqual({ look: "mixed", own: 2, more: 1 });
	expect(field("dmz", "wan")).toEqual({ look: "deny", own: 0, more: 1 });
	expect(field("guest", "lan")).toEqual({ look: "deny", own: 0, more: 3 });
	expect(field("lan", "any")).toEqual({ look: "default", own: 0, more: 0 });
	expect(fieldsOf([cell("lan", "any", 1, 0)])("lan", "any")).toEqual({ look: "accept", own: 1, more: 0 });
	expect(fieldsOf([cell("lan", "wan", 1, 0, 0)])("lan", "wan").look).toBe("mixed"); // one port of one machine
	expect(fieldsOf([cell("lan", "wan", 0, 1, 0)])("lan", "wan").look).toBe("mixed");
	expect(sidesOf(["lan", "wan"])).toEqual(["any", "lan", "wan"]);
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
