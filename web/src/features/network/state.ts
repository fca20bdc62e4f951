import type { SysInterface } from "@api";
import type { Status } from "@ui";
import { linkState } from "@ui/links";

export type State = ReturnType<typeof linkState> | "missing" | "unknown";

/** stateOf is how an interface that is not configured is, by what the kernel has; the server says it of the others. */
export function stateOf(link: SysInterface | undefined, known: boolean): State {
	if (!known) return "unknown";
	return link ? linkState(link) : "missing";
}

export const looks: Record<State, Status> = {
	up: "success",
	noCarrier: "warning",
	down: "danger",
	missing: "danger",
	unknown: "neutral",
};

const order = ["up", "degraded", "no_carrier", "down", "missing", "not_applied", "unknown"];

/** countsOf is how many are in which state, those that work first. */
export function countsOf(states: string[]): { state: string; count: number }[] {
	return order
		.map((state) => ({ state, count: states.filter((one) => one === state).length }))
		.filter(({ count }) => count > 0);
}
