import { expect, test } from "vitest";
import type { Mark } from "./LiveChart";
import { groupsOf, indexOf, moved, near, worstOf } from "./marks";

const mark = (at: number, kind: Mark["kind"] = "change"): Mark => ({ at, kind, label: `${kind} ${at}`, to: "/" });

test("marks without room beside each other are one, and others are left alone", () => {
	const marks = [mark(99), mark(100), mark(101), mark(150), mark(200), mark(201)];
	const groups = groupsOf(marks, 100, 200, 240); // 2.4 pixels a second
	expect(groups.map(({ marks }) => marks.map(({ at }) => at))).toEqual([[100, 101], [150], [200, 201]]);
	expect(groups.map(({ place }) => place)).toEqual([0, 0.5, 1]);
});

test("a thousand marks never stand on each other", () => {
	const marks = Array.from({ length: 1_000 }, (_, at) => mark(at));
	const groups = groupsOf(marks, 0, 999, 480);
	expect(groups.length).toBeLessThanOrEqual(20);
	expect(groups.flatMap((group) => group.marks)).toHaveLength(1_000);
});

test("a chart without time or width has no marks", () => {
	expect(groupsOf([mark(1)], 1, 1, 100)).toEqual([]);
	expect(groupsOf([mark(1)], 0, 2, 0)).toEqual([]);
});

test("what is worst in a group gives it its look", () => {
	expect(worstOf([mark(1, "resolved"), mark(2, "fired"), mark(3)])).toBe("fired");
	expect(worstOf([mark(1, "resolved"), mark(2)])).toBe("change");
	expect(worstOf([])).toBe("change");
});

const times = [0, 10, 20, 30, 40];

test("a moment belongs to the step that it is in", () => {
	expect([-5, 0, 9, 10, 39, 99].map((at) => indexOf(times, at))).toEqual([0, 0, 0, 1, 3, 4]);
	expect(indexOf([], 5)).toBe(0);
});

test("keys move through time, and from mark to mark", () => {
	const marks = [mark(-100), mark(12), mark(35)];
	const by = (key: string, at: number, shift = false) => moved(key, shift, at, times, marks);
	expect(by("ArrowLeft", 2)).toBe(1);
	expect(by("ArrowLeft", 0)).toBe(0);
	expect(by("ArrowRight", 4)).toBe(4);
	expect(by("ArrowRight", 0, true)).toBe(4);
	expect(by("Home", 3)).toBe(0);
	expect(by("End", 0)).toBe(4);
	expect(by("PageDown", 0, true)).toBe(1);
	expect(by("PageDown", 1, true)).toBe(3);
	expect(by("PageDown", 3, true)).toBe(3);
	expect(by("PageUp", 3, true)).toBe(1);
	expect(by("PageUp", 1, true)).toBe(1);
	expect(by("PageUp", 3)).toBeUndefined();
	expect(by("a", 1)).toBeUndefined();
	expect(by("toString", 1)).toBeUndefined();
});

test("what happened is told of the moments around it", () => {
	const marks = [mark(15), mark(39)];
	expect(near(marks, times, 1).map(({ at }) => at)).toEqual([15]);
	expect(near(marks, times, 3).map(({ at }) => at)).toEqual([15, 39]);
	expect(near(marks, times, 9)).toEqual([]);
});
