import type { IntentRow } from "@api";
import i18next from "i18next";
import { fieldsOf, nameOf } from "./rows";
import { hasNoun, nounFor } from "./words";

const t = (key: string, values: Record<string, unknown> = {}) => i18next.t(key, { ns: "ui", ...values });

/** orders says whether a row is a certificate that an authority is asked for: that takes more than storing it. */
const orders = ({ table, operation, new: made }: IntentRow) =>
	table === "certificates" && operation === "INSERT" && (made as { source?: string } | undefined)?.source === "acme";

/** thing is what rows of one table are called: by name when there is one of them, else counted. */
function thing(table: string, rows: IntentRow[]): string {
	const [first] = rows;
	const name = first && rows.length === 1 && hasNoun(table) ? nameOf(first).replace(/(.)\.$/, "$1") : "";
	const word = nounFor(table, rows.length);
	// Settings there are once.
	if (/_settings$/.test(table)) return word;
	return name === "" ? `${rows.length} ${word}` : `${word} ${name}`;
}

function things(rows: IntentRow[]): string {
	const tables = [...new Set(rows.map((row) => row.table))];
	const named = [...tables.filter(hasNoun), ...tables.filter((table) => !hasNoun(table))];
	return named
		.map((table) =>
			thing(
				table,
				rows.filter((row) => row.table === table),
			),
		)
		.join(", ");
}

/** isChange leaves out a row that was written again as it was. */
const isChange = (row: IntentRow) => row.operation !== "UPDATE" || fieldsOf(row).length > 0;

/** planWords says in sentences what a change does: what it adds, changes, deletes and orders. */
export function planWords(rows: IntentRow[]): string[] {
	const real = rows.filter(isChange);
	const of = (operation: IntentRow["operation"]) => real.filter((row) => row.operation === operation && !orders(row));
	const ordered = real.filter(orders);
	return [
		["change.adds", of("INSERT")] as const,
		["change.changes", of("UPDATE")] as const,
		["change.deletes", of("DELETE")] as const,
		["change.orders", ordered] as const,
	]
		.filter(([, some]) => some.length > 0)
		.map(([verb, some]) => t(verb, { what: things(some) }));
}
