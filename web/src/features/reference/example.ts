import type { Document, Schema } from "./openapi";
import { resolve } from "./schema";

const formats: Record<string, string> = {
	"date-time": "2026-01-31T12:00:00Z",
	date: "2026-01-31",
	email: "ann@example.com",
	uuid: "00000000-0000-0000-0000-000000000000",
	ipv4: "192.0.2.1",
	ipv6: "2001:db8::1",
	uri: "https://example.com/",
};

/** exampleOf makes a value that fits a schema, to begin with. What contains itself becomes null. */
export function exampleOf(document: Document, schema: Schema, open: string[] = []): unknown {
	if (schema.$ref && open.includes(schema.$ref)) return null;
	const path = schema.$ref ? [...open, schema.$ref] : open;
	const found = resolve(document, schema);
	const given = found.examples?.[0] ?? found.default ?? found.enum?.[0];
	if (given !== undefined) return given;
	const choice = (found.oneOf ?? found.anyOf)?.[0];
	if (choice) return exampleOf(document, choice, path);
	const type = Array.isArray(found.type) ? found.type.find((one) => one !== "null") : found.type;
	switch (type ?? (found.properties ? "object" : undefined)) {
		case "object":
			return Object.fromEntries(
				Object.entries(found.properties ?? {}).map(([name, property]) => [name, exampleOf(document, property, path)]),
			);
		case "array":
			return found.items && (found.minItems ?? 0) > 0 ? [exampleOf(document, found.items, path)] : [];
		case "integer":
		case "number":
			return found.minimum ?? 0;
		case "boolean":
			return false;
		case "string":
			return formats[found.format ?? ""] ?? "";
		default:
			return null;
	}
}
