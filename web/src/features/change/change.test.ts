import { stateOf } from "@ui/changeState";
import { expect, test } from "vitest";
import { fieldsOf, nameOf, text } from "./images";
import { canRevert } from "./state";

const known = { apply: "live", confirm_state: null, reverted_by: null };

test("what became of a change, in one word", () => {
	expect(stateOf(known)).toBe("live");
	expect(stateOf({ ...known, apply: null })).toBe("stored");
	expect(stateOf({ ...known, confirm_state: "waiting" })).toBe("waiting");
	expect(stateOf({ ...known, confirm_state: "confirmed" })).toBe("live");
	expect(stateOf({ ...known, confirm_state: "reverted" })).toBe("undone");
	expect(stateOf({ ...known, reverted_by: "x" })).toBe("undone");
	expect(stateOf({ ...known, apply: "failed" })).toBe("failed");
	expect(canRevert({ ...known, rows: 1 })).toBe(true);
	expect(canRevert({ ...known, rows: 0 })).toBe(false);
	expect(canRevert({ ...known, rows: 1, reverted_by: "x" })).toBe(false);
});

test("only what differs is listed, without what every row has", () => {
	const old = { id: "1", revision: 1, name: "www", value: "192.0.2.1", tags: ["a"] };
	const made = { ...old, revision: 2, value: "192.0.2.2" };
	expect(fieldsOf({ old, new: made })).toEqual([{ field: "value", before: "192.0.2.1", after: "192.0.2.2" }]);
	expect(fieldsOf({ new: { id: "1", name: "www", note: null } })).toEqual([
		{ field: "name", before: undefined, after: "www" },
	]);
	expect(nameOf({ old, new: made })).toBe("www");
});

test("values as words", () => {
	expect([null, "", [], ["a", "b"], { a: 1 }, false, 0].map(text)).toEqual([
		"–",
		"–",
		"–",
		"a, b",
		'{"a":1}',
		"false",
		"0",
	]);
});
