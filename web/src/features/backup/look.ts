import type { Backup } from "@api";
import type { Status } from "@ui";

type Run = Pick<Backup, "status" | "verify_status" | "available">;

/** State is how a backup stands in one word: that it was written says little when it could not be read again. */
export type State = "running" | "failed" | "damaged" | "away" | "complete";

export function stateOf({ status, verify_status: verified, available }: Run): State {
	if (status !== "done") return status;
	if (verified === "failed") return "damaged";
	return available ? "complete" : "away";
}

export const looks: Record<State, Status> = {
	running: "info",
	failed: "danger",
	damaged: "danger",
	away: "warning",
	complete: "success",
};

/** Sum is what one has to know about all backups. */
export interface Sum {
	kind: "never" | "failed" | "damaged" | "away" | "old" | "unverified" | "verified";
	/** When the newest good one was made. */
	at?: string;
}

const day = 86_400_000;
/** A daily backup that is this old was left out at least once. */
const oldAfter = 2 * day;

/** A clock may be a little ahead; a backup beyond that was made while it was wrong. */
const skew = 3_600_000;

/** sumOf says how well the node is backed up. The newest stand first. What was saved before a restore, or found, is no backup that one relies on. */
export function sumOf(backups: Backup[], now: number): Sum {
	const over = backups.filter(
		({ status, kind, started_at: at }) =>
			status !== "running" && (kind === "manual" || kind === "scheduled") && Date.parse(at) <= now + skew,
	);
	const good = over.find((one) => stateOf(one) === "complete");
	const newest = over[0];
	const at = good?.started_at;
	if (newest && newest !== good) {
		const state = stateOf(newest);
		return { kind: state === "damaged" || state === "away" ? state : "failed", at };
	}
	if (!good) return { kind: "never" };
	if (now - Date.parse(good.started_at) > oldAfter) return { kind: "old", at };
	// One that is verified anew was whole the last time.
	return { kind: good.verified_at ? "verified" : "unverified", at };
}

export const sumLooks: Record<Sum["kind"], Status> = {
	never: "warning",
	failed: "danger",
	damaged: "danger",
	away: "danger",
	old: "warning",
	unverified: "neutral",
	verified: "success",
};

/** shareOf is how far a run is, 0 to 1; undefined while nobody knows. */
export const shareOf = ({ done, total }: { done: number; total: number }) =>
	total > 0 ? Math.min(1, done / total) : undefined;
