import type { ApplyState } from "@api";
import type { Status } from "@ui/StatusLabel";

/** busyStages are those between a change and its being live. */
const busyStages = ["rendering", "checking", "installing", "reloading"];

export type Standing = "live" | "partly" | "off" | "busy" | "failed" | "held" | "unknown";

/** standingOf says in one word how a component stands. While the applier is away, nobody knows: what it said last may be over. */
export function standingOf(
	{ stage, all_off, problems }: Pick<ApplyState, "stage" | "all_off" | "problems">,
	known: boolean,
): Standing {
	if (!known) return "unknown";
	if (stage === "failed" || stage === "held") return stage;
	if (busyStages.includes(stage)) return "busy";
	if (all_off) return "off";
	// What was left out does not work, however well the rest does.
	return problems.length > 0 ? "partly" : "live";
}

export const standingLooks: Record<Standing, Status> = {
	live: "success",
	partly: "warning",
	off: "neutral",
	busy: "info",
	failed: "danger",
	held: "warning",
	unknown: "neutral",
};

type Files = Pick<ApplyState, "wanted" | "installed" | "observed" | "drift" | "keep_edits">;

/** isEdited says that the files are not those that were installed, and stay so. */
const isEdited = ({ drift, keep_edits }: Files) => keep_edits && drift.length > 0;

/** diskOf compares the files with what the database wants. */
export function diskOf(files: Files, known: boolean) {
	if (!known) return "unknown";
	if (isEdited(files)) return "edited";
	return files.installed === "" ? "nothing" : files.installed === files.wanted ? "wanted" : "older";
}

/** runningOf compares what the daemon runs on with the files. Of files that were edited nobody knows whether it has read them. */
export function runningOf(files: Files, known: boolean) {
	if (!known || isEdited(files)) return "unknown";
	return files.observed === "" ? "down" : files.observed === files.installed ? "disk" : "other";
}
