import type { ChangeRecord } from "@api";
import type { Status } from "./StatusLabel";

export type State = "waiting" | "undone" | "failed" | "pending" | "live" | "stored";

export type Known = Pick<ChangeRecord, "apply" | "confirm_state" | "reverted_by">;

/** stateOf says in one word what became of a change. */
export function stateOf({ apply, confirm_state, reverted_by }: Known): State {
	if (reverted_by || confirm_state === "reverted") return "undone";
	if (confirm_state === "waiting") return "waiting";
	if (apply === "failed") return "failed";
	if (apply === "pending") return "pending";
	return apply === "live" ? "live" : "stored";
}

export const looks: Record<State, Status> = {
	waiting: "warning",
	undone: "neutral",
	failed: "danger",
	pending: "info",
	live: "success",
	stored: "neutral",
};
