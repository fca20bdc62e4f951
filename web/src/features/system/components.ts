import type { ApplyState } from "@api";
import type { Problem, Translate } from "@ui/feature";
import type { Status } from "@ui/StatusLabel";
import { serviceName } from "@ui/service";

/** busyStages are those between a change and its being live. */
const busyStages = ["rendering", "checking", "installing", "reloading"];

export type Standing = "live" | "busy" | "failed" | "held";

/** standingOf says in one word how a component stands. */
export function standingOf({ stage }: Pick<ApplyState, "stage">): Standing {
	if (stage === "failed" || stage === "held") return stage;
	return busyStages.includes(stage) ? "busy" : "live";
}

export const standingLooks: Record<Standing, Status> = {
	live: "success",
	busy: "info",
	failed: "danger",
	held: "warning",
};

type Hashes = Pick<ApplyState, "wanted" | "installed" | "observed">;

/** diskOf compares the files with what the database wants. */
export const diskOf = ({ wanted, installed }: Hashes) =>
	installed === "" ? "nothing" : installed === wanted ? "wanted" : "older";

/** runningOf compares what the daemon runs on with the files. */
export const runningOf = ({ installed, observed }: Hashes) =>
	observed === "" ? "unknown" : observed === installed ? "disk" : "other";

const to = "/system?tab=components";

/** componentProblems says which components are not as they should be, why, and the way out. */
export function componentProblems(states: ApplyState[], t: Translate, words: (message: string) => string): Problem[] {
	return states.flatMap((state) => {
		const name = serviceName(state.component);
		const id = state.component;
		const files = state.drift.join(", ");
		const found: Problem[] = [];
		if (state.stage === "failed")
			found.push({
				id: `not live ${id}`,
				severity: "danger",
				title: t("problem.notLive", { name }),
				detail: `${words(state.error)} ${t("problem.notLiveOut")}`.trim(),
				to,
			});
		if (state.drift.length > 0) {
			const kept = state.keep_edits ? "held" : "drift";
			found.push({
				id: `${kept} ${id}`,
				severity: state.keep_edits ? "warning" : "info",
				title: t(`problem.${kept}`, { name }),
				detail: t(`problem.${kept}Out`, { files }),
				to,
			});
		} else if (state.stage === "held")
			found.push({
				id: `held ${id}`,
				severity: "warning",
				title: t("problem.held", { name }),
				detail: words(state.error),
				to,
			});
		for (const { subject, message } of state.problems)
			found.push({
				id: `left out ${id} ${subject}`,
				severity: "warning",
				title: t("problem.leftOut", { name, subject }),
				detail: words(message),
				to,
			});
		return found;
	});
}
