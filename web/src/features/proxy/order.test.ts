import { expect, test } from "vitest";
import { arranged, isSame, moved } from "./order";

const rows = ["a", "b", "c"].map((id) => ({ id }));
const ids = (list: { id: string }[]) => list.map((row) => row.id).join("");

test("an entry moves to a place, and at the ends it stays there", () => {
	expect(ids(moved(rows, 0, 2))).toBe("bca");
	expect(ids(moved(rows, 2, 0))).toBe("cab");
	expect(ids(moved(rows, 1, -5))).toBe("bac");
	expect(ids(moved(rows, 1, 9))).toBe("acb");
	expect(ids(moved(rows, 9, 0))).toBe("abc");
});

test("an order that is not saved yet outlives rows that come and go", () => {
	expect(ids(arranged(rows, []))).toBe("abc");
	expect(ids(arranged(rows, ["c", "a", "b"]))).toBe("cab");
	expect(ids(arranged([...rows, { id: "d" }], ["c", "a", "b"]))).toBe("cabd");
	expect(ids(arranged(rows.slice(1), ["c", "a", "b"]))).toBe("cb");
	expect(isSame(rows, arranged(rows, ["a", "b", "c"]))).toBe(true);
	expect(isSame(rows, arranged(rows, ["b"]))).toBe(false);
});
