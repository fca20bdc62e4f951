/** DiffLine is one line of a file as a diff shows it. */
export interface DiffLine {
	kind: "same" | "added" | "removed";
	text: string;
	/** Its number before and after; undefined on the side where it is not. */
	before?: number;
	after?: number;
}

/** Hunk is a stretch of lines that follow each other. */
export interface Hunk {
	/** First line before and after. */
	before: number;
	after: number;
	lines: DiffLine[];
}

const head = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/;
const kinds = { " ": "same", "+": "added", "-": "removed" } as const;

/** parseDiff reads what diff -u writes; the names of the files above the first hunk are left to the caller. */
export function parseDiff(text: string): Hunk[] {
	const hunks: Hunk[] = [];
	let before = 0;
	let after = 0;
	for (const line of text.replace(/\n$/, "").split("\n")) {
		const found = head.exec(line);
		if (found) {
			before = Number(found[1]);
			after = Number(found[2]);
			hunks.push({ before, after, lines: [] });
			continue;
		}
		const hunk = hunks.at(-1);
		// "\ No newline at end of file" is about the line above.
		if (!hunk || line.startsWith("\\")) continue;
		const kind = kinds[(line[0] ?? " ") as keyof typeof kinds] ?? "same";
		const made: DiffLine = { kind, text: line.slice(1) };
		if (kind !== "added") made.before = before++;
		if (kind !== "removed") made.after = after++;
		hunk.lines.push(made);
	}
	return hunks;
}

/** countOf is how many lines come and go. */
export function countOf(hunks: Hunk[]): { added: number; removed: number } {
	const lines = hunks.flatMap((hunk) => hunk.lines);
	const of = (kind: DiffLine["kind"]) => lines.filter((line) => line.kind === kind).length;
	return { added: of("added"), removed: of("removed") };
}
