import type { ApplyState, ChangeRecord } from "./generated";

/** Waiting is a change that is undone unless somebody confirms it. */
export interface Waiting {
	change: string;
	/** When it is undone, by this browser's clock, in milliseconds. */
	until: number;
}

/** Seconds are told rounded, so the same end comes out a little different each time. */
const jitter = 2_000;

/** waitingOf finds the change that waits in how the components stand, as told at that moment. */
export function waitingOf(states: ApplyState[] | undefined, at: number): Waiting | undefined {
	const confirms = (states ?? []).flatMap((state) => state.confirm ?? []);
	const first = confirms.toSorted((a, b) => a.seconds_left - b.seconds_left)[0];
	return first && { change: first.change, until: at + first.seconds_left * 1000 };
}

/** waitingIn finds it in the history, for when the applier cannot be asked; the clocks may differ a little. */
export function waitingIn(changes: ChangeRecord[] | undefined): Waiting | undefined {
	const found = changes?.find((one) => one.confirm_state === "waiting");
	if (!found) return undefined;
	return { change: found.id, until: Date.parse(found.created_at) + (found.confirm_seconds ?? 0) * 1000 };
}

/** steady keeps the end that was told before, as long as the new one is about the same. */
export function steady(before: Waiting | undefined, now: Waiting | undefined): Waiting | undefined {
	const same = before && now && before.change === now.change && Math.abs(before.until - now.until) < jitter;
	return same ? before : now;
}

/** secondsLeft is what a countdown shows. */
export const secondsLeft = (until: number, now: number) => Math.max(0, Math.ceil((until - now) / 1000));
