import { actionTitle } from "@ui";
import { expect, test } from "vitest";
import { kindOf, knownActions } from "./actions";
import { cell, toCsv } from "./export";

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

test("an export holds no formula", () => {
	expect(cell("=1+1")).toBe("'=1+1");
	expect(cell('a "b", c')).toBe('"a ""b"", c"');
	expect(cell({ a: 1 })).toBe('"{""a"":1}"');
	expect(toCsv([]).startsWith("created_at,actor,action")).toBe(true);
});
