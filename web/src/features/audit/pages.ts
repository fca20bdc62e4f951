import type { AuditEntry } from "@api";
import type { InfiniteData } from "@tanstack/react-query";

/** Cursor says after which entry the next page goes on. */
export interface Cursor {
	before: string;
	before_seq: number;
}

export type Pages = InfiniteData<AuditEntry[], Cursor | null>;

/** A small first page is there at once; the others are larger, so that scrolling never waits. */
export const sizeOf = (cursor: Cursor | null) => (cursor ? 500 : 100);

/** nextOf is where the page after this one begins; undefined when the log ends here. */
export function nextOf(page: AuditEntry[], cursor: Cursor | null): Cursor | undefined {
	const last = page.at(-1);
	if (!last || page.length < sizeOf(cursor)) return undefined;
	// The exact text: a Date would lose the microseconds, and with them entries.
	return { before: last.created_at, before_seq: last.seq };
}

// Without its Z, "…:42.36" sorts before "…:42.361" as text.
const moment = (entry: AuditEntry) => entry.created_at.replace(/Z$/, "");

/** order is newest first, as the server answers. */
export function order(a: AuditEntry, b: AuditEntry): number {
	const [x, y] = [moment(a), moment(b)];
	if (x !== y) return x < y ? 1 : -1;
	return b.seq - a.seq;
}

/** Beyond this many the first page gives up its tail; scrolling down loads it again. */
const most = 2_000;

/**
 * addLive puts entries of the stream on top of what was searched. An entry that is there
 * already, or belongs to a later page, is left out. gap is true when the stream missed some.
 */
export function addLive(old: Pages, stream: AuditEntry[]): { pages: Pages; added: AuditEntry[]; gap: boolean } {
	const [first = [], ...rest] = old.pages;
	const ids = new Set(first.map((entry) => entry.id));
	const last = first.at(-1);
	const complete = rest.length === 0 && nextOf(first, old.pageParams[0] ?? null) === undefined;
	const added: AuditEntry[] = [];
	for (const entry of stream) {
		if (ids.has(entry.id) || (last && !complete && order(entry, last) > 0)) continue;
		ids.add(entry.id);
		added.push(entry);
	}
	if (added.length === 0) return { pages: old, added, gap: false };
	const page = [...added, ...first].sort(order);
	return { pages: { ...old, pages: [page, ...rest] }, added, gap: hasGap(first, added) };
}

/** The entries of a node are numbered one after the other. */
function hasGap(known: AuditEntry[], added: AuditEntry[]): boolean {
	const end = new Map<string, number>();
	for (const { node_id, seq } of known) end.set(node_id, Math.max(seq, end.get(node_id) ?? 0));
	return [...added]
		.sort((a, b) => a.seq - b.seq)
		.some(({ node_id, seq }) => {
			const before = end.get(node_id);
			end.set(node_id, Math.max(seq, before ?? 0));
			return before !== undefined && seq > before + 1;
		});
}

/** trimmed forgets the older part of a log that grew while it was watched. */
export function trimmed(old: Pages): Pages {
	const first = old.pages[0] ?? [];
	if (first.length <= most) return old;
	return { pages: [first.slice(0, sizeOf({ before: "", before_seq: 0 }))], pageParams: [null] };
}
