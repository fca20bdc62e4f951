import { ApiError, type RestoreState } from "@api";

/** While services restart nobody answers; after this long, in milliseconds, that is no restart any more. */
export const silence = 3 * 60_000;

/** Sight is what can be said about a restore at this moment. Only what is "known" is shown as such. */
export interface Sight {
	kind: "asking" | "known" | "away" | "silent" | "signIn" | "refused";
	/** What was told last. */
	last?: RestoreState;
}

interface Asked {
	data: RestoreState | undefined;
	error: unknown;
	/** When somebody answered last, whatever it was. */
	answeredAt: number;
}

/** sightOf: an old answer is never shown as a new one, and a missing one is no success. */
export function sightOf({ data: last, error, answeredAt }: Asked, now: number): Sight {
	if (!error) return last ? { kind: "known", last } : { kind: "asking" };
	if (isRefusal(error)) return { kind: "signIn", last };
	if (!(error instanceof ApiError) || !error.away) return { kind: "refused", last };
	return { kind: now - answeredAt > silence ? "silent" : "away", last };
}

/** isRefusal: the sessions of before are over, so somebody has to sign in before more can be told. */
export const isRefusal = (error: unknown) => error instanceof ApiError && error.status === 401;

/** Stage is how far a restore is as a whole. */
export type Stage = "none" | "running" | "waiting" | "confirmed" | "undone" | "failed";

/** stageOf reads it out of what the server tells. */
export function stageOf({ backup_id: id, result, confirm_until: until }: RestoreState): Stage {
	if (id === "") return "none";
	return result || (until ? "waiting" : "running");
}

/** underWay says whether more is to come. */
export const underWay = (restore: RestoreState | undefined) =>
	restore !== undefined && ["running", "waiting"].includes(stageOf(restore));

/** untilOf is when a restore is undone, by this browser's clock, in milliseconds: those of two machines may differ. */
export const untilOf = ({ seconds_left: left }: RestoreState, toldAt: number) => toldAt + left * 1_000;
