import { expect, test } from "vitest";
import { cellOf, csvOf } from "./csv";

test("a spreadsheet computes nothing of what others wrote", () => {
	expect(
		["=1+1", "+1", "-1", "@x", "plain", -1, "a,b", "a;=1", 'say "x"', null, ["a", "b"], { a: 1 }].map(cellOf),
	).toEqual(["'=1+1", "'+1", "'-1", "'@x", "plain", "-1", '"a,b"', `"a;'=1"`, '"say ""x"""', "", "a b", '"{""a"":1}"']);
});

/** split is what a spreadsheet makes of a line that separates by something else than the file does. */
const split = (line: string, separator: string) =>
	line.split("\n").flatMap((row) => row.split(separator).map((cell) => cell.trim().replace(/^"+/, "").trim()));

test.each([";", ",", "\t"])(
	"nothing is computed where %j separates: a quote in mid-field protects nothing",
	(separator) => {
		const planted = ["=1+1", "+1", "-1", "@x", ' "=1+1&"', " =1", "\u00a0=1", "＝1", "\r=1", "\n@x"];
		for (const formula of planted) {
			const line = csvOf([{ first: 1, text: `x${separator}${formula}${separator}y`, last: "z" }]);
			expect(
				split(line, separator).filter((cell) => /^[=+\-@＝＋－＠]/.test(cell)),
				formula,
			).toEqual([]);
		}
	},
);

test("all fields that any row has are columns", () => {
	expect(csvOf([{ a: 1 }, { a: 2, b: "x" }])).toBe("a,b\r\n1,\r\n2,x\r\n");
});

test("columns that are asked for are there in that order, and without rows too", () => {
	expect(csvOf([{ a: 1, b: 2, c: 3 }], ["c", "a"])).toBe("c,a\r\n3,1\r\n");
	expect(csvOf([], ["c", "a"])).toBe("c,a\r\n");
});
