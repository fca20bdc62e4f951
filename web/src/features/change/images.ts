import type { IntentRow } from "@api";

/** FieldChange is one field of a row before and after; undefined where the row was not there. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

/** What every row has and nobody asks about. */
const dull = new Set(["id", "revision", "created_at", "updated_at"]);

const asRow = (image: unknown) => (image ?? {}) as Record<string, unknown>;

const isEmpty = (value: unknown) => value === null || value === undefined || value === "";

/** fieldsOf lists the fields in which a row's images differ; all that has a value for one that is new or gone. */
export function fieldsOf({ old, new: made }: Pick<IntentRow, "old" | "new">): FieldChange[] {
	const before = asRow(old);
	const after = asRow(made);
	const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !dull.has(name));
	return names
		.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
		.filter((name) => !isEmpty(before[name]) || !isEmpty(after[name]))
		.map((field) => ({ field, before: before[field], after: after[field] }));
}

/** nameOf is what a row is called, by whichever field tells. */
export function nameOf({ old, new: made }: Pick<IntentRow, "old" | "new">): string {
	const row = { ...asRow(old), ...asRow(made) };
	return String(row.fqdn ?? row.name ?? row.address ?? row.email ?? "");
}

/** text words a value of a row as it is stored. */
export function text(value: unknown): string {
	if (isEmpty(value)) return "–";
	if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(text).join(", ");
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}
