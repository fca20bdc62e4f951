import type { ApplyState } from "@api";

/** stages of a change on its way to a daemon, in their order. */
export const stages = ["rendering", "checking", "installing", "reloading", "live"] as const;

type Stage = ApplyState["stage"];

/**
 * advance is how far a change has come. It never goes back, and "live" counts only after something else:
 * before that it is the state of what ran before.
 */
export function advance(reached: number, stage: Stage | undefined): number {
	const at = (stages as readonly string[]).indexOf(stage ?? "");
	if (stage === "live" && reached <= 0) return reached;
	return Math.max(reached, at);
}

/** standing is how one stage stands while that one is reached. */
export function standing(place: number, reached: number): "done" | "now" | "next" {
	const now = Math.max(0, reached);
	if (place < now || reached === stages.length - 1) return "done";
	return place === now ? "now" : "next";
}
