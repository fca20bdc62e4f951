import { saveAs } from "./saveAs";

/**
 * formula is a place where a spreadsheet would begin to compute. Names come from others, also from people without an account.
 * Excel splits at the separator of its language (";" in German), where a quote inside of a field protects nothing, so each
 * separator may begin a cell; blanks and quotes that follow it may be dropped.
 */
const formula = /(^|[;,\t\r\n])(?=[\s"]*[=+\-@＝＋－＠])/g;

/** cellOf is a value as a spreadsheet takes it: what it would compute is made a text. */
export function cellOf(value: unknown): string {
	if (typeof value === "number") return String(value);
	const plain = Array.isArray(value) ? value.map(asText).join(" ") : asText(value ?? "");
	const safe = plain.replace(formula, "$1'");
	return /[",;\n\r\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** csvOf is a table of all fields that the rows have, unless only some are asked for. */
export function csvOf(rows: object[], columns?: readonly string[]): string {
	const names = columns ?? [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const lines = rows.map((row) => names.map((name) => cellOf((row as Record<string, unknown>)[name])).join(","));
	return `${[names.join(","), ...lines].join("\r\n")}\r\n`;
}

/** download hands a table to the browser as a file; the mark at its beginning tells a spreadsheet that it is UTF-8. */
export const download = (name: string, text: string) => saveAs(name, `\uFEFF${text}`, "text/csv;charset=utf-8");
