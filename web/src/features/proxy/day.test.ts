import { expect, test } from "vitest";
import { dayOf } from "./day";

const moment = (at: string, requests: number) => ({ at, requests, errors: 30, client_errors: 60, milliseconds: 600 });

test("a day is 288 steps of five minutes, and a step in which nothing was asked is none", () => {
	const now = Date.parse("2026-01-02T00:02:00Z") / 1000;
	const day = dayOf([moment("2026-01-02T00:00:00Z", 300), moment("2025-12-31T00:00:00Z", 7)], now);
	expect(day.times).toHaveLength(288);
	expect(new Date(day.times.at(-1)! * 1000).toISOString()).toBe("2026-01-02T00:05:00.000Z");
	expect(day.requests.slice(-3)).toEqual([0, 1, 0]);
	expect(day.errors.at(-2)).toBe(0.1);
	expect(day.time.slice(-2)).toEqual([2, null]);
	expect(day.total).toBe(300);
});
