import type { IntentRow } from "@api";

/** FieldChange is one field of a row before and after; undefined where the row was not there. */
export interface FieldChange {
	field: string;
	before: unknown;
	after: unknown;
}

type Images = Pick<IntentRow, "old" | "new">;

/** What every row has and nobody asks about. */
const dull = new Set(["id", "revision", "created_at", "updated_at"]);

const asRow = (image: unknown) => (image ?? {}) as Record<string, unknown>;

const isEmpty = (value: unknown) => value === null || value === undefined || value === "";

/** fieldsOf lists the fields in which a row's images differ; all that has a value for one that is new or gone. */
export function fieldsOf({ old, new: made }: Images): FieldChange[] {
	const before = asRow(old);
	const after = asRow(made);
	const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => !dull.has(name));
	return names
		.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
		.filter((name) => !isEmpty(before[name]) || !isEmpty(after[name]))
		.map((field) => ({ field, before: before[field], after: after[field] }));
}

/** nameOf is what a row is called, by whichever field tells. */
export function nameOf({ old, new: made }: Images): string {
	const row = { ...asRow(old), ...asRow(made) };
	const [first] = Array.isArray(row.names) ? row.names : [];
	return String(row.fqdn ?? row.name ?? first ?? row.path_prefix ?? row.address ?? row.email ?? "");
}
