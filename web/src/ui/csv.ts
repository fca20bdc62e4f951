import { saveAs } from "./saveAs";

/** cellOf is a value as a spreadsheet takes it. What it would compute (=, +, -, @) is made a text: names come from others. */
export function cellOf(value: unknown): string {
	const plain =
		value === null || value === undefined ? "" : Array.isArray(value) ? value.map(asText).join(" ") : asText(value);
	const safe = typeof value !== "number" && /^[=+\-@\t\r\n]/.test(plain) ? `'${plain}` : plain;
	return /[",;\n\r\t]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

const asText = (value: unknown) => (typeof value === "object" ? JSON.stringify(value) : String(value));

/** csvOf is a table of all fields that the rows have. */
export function csvOf(rows: object[]): string {
	const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
	const lines = rows.map((row) => names.map((name) => cellOf((row as Record<string, unknown>)[name])).join(","));
	return `${[names.join(","), ...lines].join("\r\n")}\r\n`;
}

/** download hands a table to the browser as a file; the mark at its beginning tells a spreadsheet that it is UTF-8. */
export const download = (name: string, text: string) => saveAs(name, `\uFEFF${text}`, "text/csv;charset=utf-8");
