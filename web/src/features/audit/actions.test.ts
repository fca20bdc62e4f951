import { expect, test } from "vitest";
import { kindOf, knownActions, titleKey } from "./actions";
import { cell, toCsv } from "./export";
import de from "./messages/de.json";
import en from "./messages/en.json";

const read = (messages: object, key: string) =>
	key.split(".").reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], messages);

test("every known action has a title in both languages", () => {
	for (const action of knownActions) {
		expect(typeof read(en, titleKey(action)!), action).toBe("string");
		expect(typeof read(de, titleKey(action)!), action).toBe("string");
	}
});

test("unknown actions have none, whatever they are called", () => {
	for (const action of ["dns.zone.create", "auth.login", "", "constructor", "__proto__"]) {
		expect(titleKey(action), action).toBeUndefined();
	}
});

test("the kind of an unknown action is told by its verb", () => {
	expect(kindOf("auth.login.failed")).toBe("refused");
	expect(kindOf("dns.zone.create")).toBe("create");
	expect(kindOf("dns.zone.delete")).toBe("delete");
	expect(kindOf("toString")).toBe("other");
});

test("an export holds no formula", () => {
	expect(cell("=1+1")).toBe("'=1+1");
	expect(cell('a "b", c')).toBe('"a ""b"", c"');
	expect(cell({ a: 1 })).toBe('"{""a"":1}"');
	expect(toCsv([]).startsWith("created_at,actor,action")).toBe(true);
});
