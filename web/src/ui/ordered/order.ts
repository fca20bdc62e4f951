/** Move takes the row that stands at one place to another. */
export interface Move {
	/** Id of the row, to notice when somebody else changed the order meanwhile. */
	id: string;
	from: number;
	to: number;
}

/** before is where the row stood, before that move, that stands at a place now. */
function before({ from, to }: Move, place: number): number {
	if (place === to) return from;
	if (from < to && place >= from && place < to) return place + 1;
	if (to < from && place > to && place <= from) return place - 1;
	return place;
}

/** origin is where the row stands on the server that stands at a place after all moves. */
export const origin = (moves: readonly Move[], place: number) =>
	moves.reduceRight((at, move) => before(move, at), place);

/** moved makes the moves in a list of ids; undefined when a row is not where it was. */
export function moved(moves: readonly Move[], ids: readonly string[]): string[] | undefined {
	const out = [...ids];
	for (const { id, from, to } of moves) {
		if (out[from] !== id) return undefined;
		out.splice(from, 1);
		out.splice(to, 0, id);
	}
	return out;
}

/** refilled gives those of all ids that are in a part a new order among themselves; the others keep their places. */
export function refilled(all: readonly string[], part: readonly string[]): string[] {
	const members = new Set(part);
	let at = 0;
	return all.map((id) => (members.has(id) ? part[at++]! : id));
}

/** Place is where many rules go: the end or the beginning, or after the rule that has that number now. */
export interface Place {
	to: "top" | "bottom" | "after";
	/** Counts from one, as the list does. */
	after: number;
}

/** arranged takes the chosen ids to a place; the order among themselves, and among the others, stays. */
export function arranged(all: readonly string[], chosen: ReadonlySet<string>, { to, after }: Place): string[] {
	const taken = all.filter((id) => chosen.has(id));
	// What stands before that place and is taken away no longer counts.
	const before = to === "top" ? 0 : to === "bottom" ? all.length : Math.max(0, Math.min(after, all.length));
	const kept = (ids: readonly string[]) => ids.filter((id) => !chosen.has(id));
	return [...kept(all.slice(0, before)), ...taken, ...kept(all.slice(before))];
}
