import type { AuditEntry } from "@api";
import { actionTitle } from "@ui";
import { expect, test } from "vitest";
import { kindOf, knownActions } from "./actions";
import { toCsv } from "./export";

test("every known action has a title", () => {
	expect(knownActions.filter((action) => actionTitle(action) === undefined)).toEqual([]);
});

test("unknown actions have none, whatever they are called", () => {
	for (const action of ["lamp.bulb.create", "auth.login", "", "constructor", "__proto__"]) {
		expect(actionTitle(action), action).toBeUndefined();
	}
});

test("the kind of an unknown action is told by its verb", () => {
	expect(kindOf("auth.login.failed")).toBe("refused");
	expect(kindOf("lamp.bulb.create")).toBe("create");
	expect(kindOf("dns.zone.delete")).toBe("delete");
	expect(kindOf("toString")).toBe("other");
});

test("an export holds no formula, wherever a spreadsheet splits it", () => {
	const planted = { actor: "x;=1+1;y@example.com", action: "auth.login.failed" } as AuditEntry;
	expect(toCsv([planted])).toContain(`"x;'=1+1;y@example.com"`);
	expect(toCsv([]).startsWith("created_at,actor,action")).toBe(true);
});
