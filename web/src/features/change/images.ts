export { fieldsOf, nameOf } from "@ui";

const isEmpty = (value: unknown) => value === null || value === undefined || value === "";

/** text words a value of a row as it is stored. */
export function text(value: unknown): string {
	if (isEmpty(value)) return "–";
	if (Array.isArray(value)) return value.length === 0 ? "–" : value.map(text).join(", ");
	return typeof value === "object" ? JSON.stringify(value) : String(value);
}
