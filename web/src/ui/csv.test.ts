import { expect, test } from "vitest";
import { cellOf, csvOf } from "./csv";

test("a spreadsheet computes nothing of what others wrote", () => {
	expect(["=1+1", "+1", "-1", "@x", "plain", -1, "a,b", 'say "x"', null, ["a", "b"], { a: 1 }].map(cellOf)).toEqual([
		"'=1+1",
		"'+1",
		"'-1",
		"'@x",
		"plain",
		"-1",
		'"a,b"',
		'"say ""x"""',
		"",
		"a b",
		'"{""a"":1}"',
	]);
});

test("all fields that any row has are columns", () => {
	expect(csvOf([{ a: 1 }, { a: 2, b: "x" }])).toBe("a,b\r\n1,\r\n2,x\r\n");
});
