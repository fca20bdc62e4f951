import type { SysInterface } from "@api";
import type { Status } from "@ui";
import { linkState } from "@ui/links";

export type State = ReturnType<typeof linkState> | "missing" | "unknown";

/** stateOf is how an interface is, by what the kernel has. */
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

const order: State[] = ["up", "noCarrier", "down", "missing", "unknown"];

/** countsOf is how many are in which state, those that work first. */
export function countsOf(states: State[]): { state: State; count: number }[] {
	return order
		.map((state) => ({ state, count: states.filter((one) => one === state).length }))
		.filter(({ count }) => count > 0);
}
