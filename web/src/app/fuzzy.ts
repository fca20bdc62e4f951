/** score says how well typed letters fit a text, 0 not at all: in order, best at word starts and next to each other. */
export function score(typed: string, text: string): number {
	const letters = typed.toLowerCase().replace(/\s+/g, "");
	const target = text.toLowerCase();
	let total = 0;
	let from = 0;
	let before = -2;
	for (const letter of letters) {
		const at = target.indexOf(letter, from);
		if (at < 0) return 0;
		const wordStart = at === 0 || /[\s\-_.@/]/.test(target[at - 1]!);
		total += 1 + (at === before + 1 ? 3 : 0) + (wordStart ? 2 : 0);
		before = at;
		from = at + 1;
	}
	return letters === "" ? 1 : total / (1 + target.length / 100);
}

/** best are the entries that fit, the best first. */
export function best<T extends { title: string; hint?: string }>(typed: string, entries: T[], count = 12): T[] {
	return entries
		.map((entry) => ({
			entry,
			points: Math.max(score(typed, entry.title), score(typed, `${entry.hint ?? ""} ${entry.title}`) * 0.5),
		}))
		.filter(({ points }) => points > 0)
		.sort((a, b) => b.points - a.points)
		.slice(0, count)
		.map(({ entry }) => entry);
}
