import { expect, test } from "vitest";
import { append, every, kept, latest, type Point, rate, spanOf, timesOf, valuesOf } from "./history";

const point = (time: number, a: number | null = time): Point => ({ time, values: { a } });

test("the history keeps five minutes and no more", () => {
	let points: Point[] = [];
	for (let time = 0; time <= 1_000; time += every) points = append(points, point(time));
	expect(points).toHaveLength(kept / every + 1);
	expect(points[0]?.time).toBe(1_000 - kept);
	expect(latest(points, "a")).toBe(1_000);
	expect(latest(points, "b")).toBeNull();
});

test("an answer that is not newer changes nothing", () => {
	const points = [point(10)];
	expect(append(points, point(10))).toBe(points);
	expect(append(points, point(9))).toBe(points);
});

test("a silence leaves a hole, and a long one leaves nothing of before", () => {
	expect(append([point(10)], point(40)).map((one) => one.values)).toEqual([{ a: 10 }, {}, { a: 40 }]);
	expect(append([point(10)], point(10 + 2 * kept))).toEqual([point(10 + 2 * kept)]);
});

test("a chart spans a whole window, which grows with the history; times and values stand side by side", () => {
	const points = [point(1_000, 1), point(1_002, null), point(1_004, 3)];
	expect(timesOf(points)).toEqual([944, 1_000, 1_002, 1_004]);
	expect([10, 60, 61, 121, 300].map((age) => spanOf([point(1_000), point(1_000 + age)]))).toEqual([
		60,
		60,
		120,
		kept,
		kept,
	]);
	expect(valuesOf(points, "a")).toEqual([null, 1, null, 3]);
	const full = [point(700), point(1_000)];
	expect(timesOf(full)[0]).toBeLessThan(700);
});

test("a rate is a counter's growth per second", () => {
	expect(rate(1_000, 3_000, 2)).toBe(1_000);
	expect(rate(5, 5, 2)).toBe(0);
});

test("a counter that was reset, or no time, gives no rate", () => {
	expect(rate(9_000, 10, 2)).toBeNull();
	expect(rate(1, 2, 0)).toBeNull();
	expect(rate(1, 2, -1)).toBeNull();
});
