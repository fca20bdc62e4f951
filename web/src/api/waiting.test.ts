import { expect, test } from "vitest";
import type { ApplyState, ChangeRecord } from "./generated";
import { secondsLeft, steady, waitingIn, waitingOf } from "./waiting";

const state = (component: string, confirm?: { change: string; seconds_left: number }) =>
	({ component, confirm }) as ApplyState;

test("the change that waits, however many components it concerns", () => {
	expect(waitingOf(undefined, 0)).toBeUndefined();
	expect(waitingOf([state("dns"), state("ntp")], 0)).toBeUndefined();
	const both = [state("dns", { change: "c1", seconds_left: 61 }), state("ntp", { change: "c1", seconds_left: 60 })];
	expect(waitingOf(both, 1_000)).toEqual({ change: "c1", until: 61_000 });
});

test("the countdown does not jump when the same end is told again", () => {
	const before = { change: "c1", until: 60_000 };
	expect(steady(before, { change: "c1", until: 60_900 })).toBe(before);
	expect(steady(before, { change: "c1", until: 90_000 })?.until).toBe(90_000);
	expect(steady(before, { change: "c2", until: 60_100 })?.change).toBe("c2");
	expect(steady(before, undefined)).toBeUndefined();
});

test("without the applier the history tells it", () => {
	const created_at = "2026-01-01T00:00:00Z";
	const one = { id: "c1", created_at, confirm_seconds: 90, confirm_state: "waiting" } as ChangeRecord;
	expect(waitingIn([one])).toEqual({ change: "c1", until: Date.parse(created_at) + 90_000 });
	expect(waitingIn([{ ...one, confirm_state: "confirmed" }])).toBeUndefined();
});

test("seconds left are whole, and never below zero", () => {
	expect(secondsLeft(10_000, 0)).toBe(10);
	expect(secondsLeft(10_000, 9_001)).toBe(1);
	expect(secondsLeft(10_000, 12_000)).toBe(0);
});
