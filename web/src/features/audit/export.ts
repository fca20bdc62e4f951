import { type AuditEntry, searchAudit } from "@api";
import { csvOf } from "@ui/csv";
import type { Filters } from "./filters";
import type { Cursor } from "./pages";

const columns = ["created_at", "actor", "action", "subject", "detail", "change_id", "node_id", "seq", "id"] as const;

export const toCsv = (entries: AuditEntry[]) => csvOf(entries, columns);

export const toJson = (entries: AuditEntry[]) => JSON.stringify(entries, null, 2);

/** A file has at most so many entries: a spreadsheet opens it, and the node is not busy for minutes. */
export const most = 50_000;
/** As many the server lists at once. */
const size = 1_000;

/** everyEntry is all that fits the filters, the newest first; more says that there are others. */
export async function everyEntry(filters: Filters): Promise<{ entries: AuditEntry[]; more: boolean }> {
	const entries: AuditEntry[] = [];
	let cursor: Cursor | undefined;
	// One more than the file takes tells whether that is all.
	for (let left = most + 1; left > 0; left = most + 1 - entries.length) {
		const limit = Math.min(size, left);
		const { data } = await searchAudit({ query: { ...filters, ...cursor, limit } });
		entries.push(...data);
		const last = data.at(-1);
		if (!last || data.length < limit) break;
		cursor = { before: last.created_at, before_seq: last.seq };
	}
	return { entries: entries.slice(0, most), more: entries.length > most };
}
