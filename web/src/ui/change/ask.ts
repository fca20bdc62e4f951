import type { Ask } from "@api";

/** Said is what the operator chose about a change. */
export interface Said {
	reason: string;
	/** Whether it is undone unless confirmed; undefined as long as nobody chose. */
	confirm?: boolean;
	seconds: number;
}

/** Times to choose from, in seconds. */
export const times = [10, 30, 90, 300, 900];

export const unsaid: Said = { reason: "", seconds: 90 };

/** waits says whether the change has to be confirmed: as chosen, else when it can cut somebody off. */
export const waits = (said: Said, risky: boolean) => said.confirm ?? risky;

/** askOf is what the server is asked with the change. */
export const askOf = (said: Said, risky: boolean): Ask => ({
	reason: said.reason,
	confirmWithin: waits(said, risky) ? said.seconds : undefined,
});
