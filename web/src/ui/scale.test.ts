import { expect, test } from "vitest";
import { scaleOf } from "./scale";

test("a chart has zero on it, and all values", () => {
	expect(scaleOf(10, 100, 0)).toEqual([0, 110.00000000000001]);
	expect(scaleOf(-10, -5, 0)).toEqual([-11, 0]);
	expect(scaleOf(0, 3, 100)).toEqual([0, 100]);
	expect(scaleOf(0, 0, 0)).toEqual([0, 1]);
	expect(scaleOf(null, null, 0)).toEqual([0, 1]);
});
