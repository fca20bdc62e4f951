import { expect, test } from "vitest";
import { actorOf, subjectOf, titleOf } from "./words";

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
