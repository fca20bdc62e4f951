import { expect, test } from "vitest";
import { arranged, type Move, moved, origin, refilled } from "./order";

const ids = ["a", "b", "c", "d", "e"];
const move = (id: string, from: number, to: number): Move => ({ id, from, to });

test("what is shown after moves is what is saved", () => {
	const moves = [move("a", 0, 3), move("e", 4, 1), move("b", 0, 4)];
	const shown = ids.map((_, place) => ids[origin(moves, place)]);
	expect(shown).toEqual(["e", "c", "d", "a", "b"]);
	expect(moved(moves, ids)).toEqual(shown);
	expect(moved([], ids)).toEqual(ids);
});

test("rows that others moved meanwhile are not moved blindly", () => {
	expect(moved([move("a", 0, 3)], ["b", "a", "c"])).toBeUndefined();
});

test("an order of some leaves the others where they are", () => {
	expect(refilled(ids, ["d", "b"])).toEqual(["a", "d", "c", "b", "e"]);
	expect(refilled(ids, [])).toEqual(ids);
});

test.each([
	["top", 0, "bdace"],
	["bottom", 0, "acebd"],
	["after", 1, "abdce"],
	["after", 3, "acbde"],
	["after", 4, "acbde"],
	["after", 99, "acebd"],
] as const)("the second and the fourth go to the %s (%i)", (to, after, want) => {
	expect(arranged([..."abcde"], new Set("bd"), { to, after }).join("")).toBe(want);
});
