import type { ApplyState } from "@api";
import type { Status } from "@ui/StatusLabel";

/** busyStages are those between a change and its being live. */
const busyStages = ["rendering", "checking", "installing", "reloading"];

export type Standing = "live" | "busy" | "failed" | "held" | "unknown";

/** standingOf says in one word how a component stands. While the applier is away, nobody knows: what it said last may be over. */
export function standingOf({ stage }: Pick<ApplyState, "stage">, known: boolean): Standing {
	if (!known) return "unknown";
	if (stage === "failed" || stage === "held") return stage;
	return busyStages.includes(stage) ? "busy" : "live";
}

export const standingLooks: Record<Standing, Status> = {
	live: "success",
	busy: "info",
	failed: "danger",
	held: "warning",
	unknown: "neutral",
};

type Hashes = Pick<ApplyState, "wanted" | "installed" | "observed">;

/** diskOf compares the files with what the database wants. */
export const diskOf = ({ wanted, installed }: Hashes) =>
	installed === "" ? "nothing" : installed === wanted ? "wanted" : "older";

/** runningOf compares what the daemon runs on with the files. */
export const runningOf = ({ installed, observed }: Hashes) =>
	observed === "" ? "unknown" : observed === installed ? "disk" : "other";
