import { expect, test } from "vitest";
import { actionTitle } from "../action";
import { actorOf, nounOf, subjectOf, titleOf } from "./words";

const change = (action: string, subject: string, reverts: string | null = null) => ({ action, subject, reverts });

test("a change in words", () => {
	expect(titleOf(change("dns.record.update", "www"))).toBe("DNS record changed");
	expect(titleOf(change("lamp.bulb.update", "x"))).toBe("lamp.bulb.update");
	expect(subjectOf(change("dns.record.update", "www"))).toBe("www");
	expect(subjectOf(change("dns.settings.update", "settings"))).toBe("");
	expect(subjectOf(change("dns.record.update", "A www.example.com."))).toBe("A www.example.com");
});

test("an undoing names what it undid", () => {
	expect(subjectOf(change("dns.revert", "dns.record.update www", "1"))).toBe("DNS record changed www");
	expect(subjectOf(change("dns.revert", "dns.settings.update settings", "1"))).toBe("DNS settings changed");
	expect(actorOf("confirm-timeout")).not.toBe("confirm-timeout");
	expect(actorOf("ann@example.com")).toBe("ann@example.com");
});

test("several things at once are told by what they did", () => {
	const objects = [
		{ table: "firewall_rules", operation: "UPDATE" as const, count: 200 },
		{ table: "firewall_services", operation: "INSERT" as const, count: 1 },
		{ table: "lamps", operation: "DELETE" as const, count: 2 },
		{ table: "bulbs", operation: "DELETE" as const, count: 1 },
	];
	const batch = { ...change("batch", "201 operations"), objects };
	expect(titleOf(batch)).toBe("200 rules changed, 1 service created, 2 other entries deleted, …");
	expect(subjectOf(batch)).toBe("");
	expect(titleOf(change("batch.revert", "batch 200 operations", "1"))).toBe("Change reverted");
	expect(subjectOf({ ...change("batch.revert", "batch 200 operations", "1"), objects: objects.slice(0, 1) })).toBe(
		"200 rules changed",
	);
});

test("several things at once are told by their names, where they have some", () => {
	const objects = [{ table: "firewall_rules", operation: "INSERT" as const, count: 2 }];
	expect(subjectOf({ ...change("batch", "web in, tcp/8443"), objects })).toBe("web in, tcp/8443");
	expect(subjectOf({ ...change("batch.revert", "batch web in, tcp/8443", "1"), objects })).toBe("web in, tcp/8443");
	expect(subjectOf(change("batch.revert", "batch web in, tcp/8443", "1"))).toBe("web in, tcp/8443");
});

test("undoing several things has words in the log as well, and rows are called by theirs", () => {
	expect(actionTitle("batch.revert")).toBe("Change reverted");
	expect(actionTitle("dns.revert")).toBe("DNS change reverted");
	expect(nounOf("firewall_rules")).toBe("rule");
	expect(nounOf("lamps")).toBeUndefined();
});
