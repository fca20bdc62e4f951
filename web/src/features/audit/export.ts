import type { AuditEntry } from "@api";

const columns = ["created_at", "actor", "action", "subject", "detail", "change_id", "node_id", "seq", "id"] as const;

/** cell quotes a value; what a spreadsheet would take for a formula becomes text. */
export function cell(value: unknown): string {
	const text = typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? "");
	const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const toCsv = (entries: AuditEntry[]) =>
	[columns.join(","), ...entries.map((entry) => columns.map((column) => cell(entry[column])).join(","))].join("\r\n");

export const toJson = (entries: AuditEntry[]) => JSON.stringify(entries, null, 2);
