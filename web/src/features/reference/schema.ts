import type { Document, Schema } from "./openapi";

const prefix = "#/components/schemas/";

/** nameOf: "#/components/schemas/User" → "User". */
const nameOf = (schema: Schema) => (schema.$ref?.startsWith(prefix) ? schema.$ref.slice(prefix.length) : undefined);

/** resolve follows references to the schema they mean; one that leads nowhere, or to itself, is empty. */
export function resolve(document: Document, schema: Schema): Schema {
	const seen = new Set<string>();
	let found = schema;
	for (let name = nameOf(found); name !== undefined; name = nameOf(found)) {
		const schemas = document.components?.schemas ?? {};
		if (seen.has(name) || !Object.hasOwn(schemas, name)) return {};
		seen.add(name);
		const { $ref, ...beside } = found;
		found = { ...schemas[name]!, ...beside };
	}
	return found.allOf ? joined(document, found) : found;
}

function joined(document: Document, { allOf = [], ...schema }: Schema): Schema {
	const parts = [...allOf.map((part) => resolve(document, part)), schema];
	return {
		...Object.assign({}, ...parts),
		properties: Object.assign({}, ...parts.map((part) => part.properties)),
		required: parts.flatMap((part) => part.required ?? []),
	};
}

const typesOf = (schema: Schema) => (Array.isArray(schema.type) ? schema.type : schema.type ? [schema.type] : []);
const choices = (schema: Schema) => schema.oneOf ?? schema.anyOf;

/** typeOf is the type in short: "string", "User[] | null". */
export function typeOf(document: Document, schema: Schema): string {
	const found = resolve(document, schema);
	const several = choices(found);
	if (several) return several.map((one) => typeOf(document, one)).join(" | ");
	const words = typesOf(found).map((type) => {
		if (type === "array") return `${found.items ? typeOf(document, found.items) : "any"}[]`;
		if (type === "object") return nameOf(schema) ?? "object";
		return found.format && type === "string" ? found.format : type;
	});
	return words.join(" | ") || nameOf(schema) || "any";
}

/** Limit is a rule that a value keeps; its kind is worded by the messages. */
export interface Limit {
	kind: "length" | "range" | "items" | "pattern" | "enum" | "default";
	value: string;
}

function between(from: number | undefined, to: number | undefined): string {
	if (from === undefined) return `≤ ${to}`;
	return to === undefined ? `≥ ${from}` : `${from} – ${to}`;
}

/** limitsOf are the rules of a schema. */
export function limitsOf(schema: Schema): Limit[] {
	const limits: Limit[] = [];
	const has = (...values: unknown[]) => values.some((value) => value !== undefined);
	if (schema.enum) limits.push({ kind: "enum", value: schema.enum.map(String).join(", ") });
	if (has(schema.minimum, schema.maximum))
		limits.push({ kind: "range", value: between(schema.minimum, schema.maximum) });
	if (has(schema.minLength, schema.maxLength))
		limits.push({ kind: "length", value: between(schema.minLength, schema.maxLength) });
	if (has(schema.minItems, schema.maxItems))
		limits.push({ kind: "items", value: between(schema.minItems, schema.maxItems) });
	if (schema.pattern) limits.push({ kind: "pattern", value: schema.pattern });
	if (schema.default !== undefined) limits.push({ kind: "default", value: JSON.stringify(schema.default) });
	return limits;
}

/** SchemaRow is a field of a schema; depth says how deep inside of others it is. */
export interface SchemaRow {
	key: string;
	name: string;
	depth: number;
	type: string;
	required: boolean;
	limits: Limit[];
	description: string;
	/** It contains itself; what is inside was shown above. */
	again: boolean;
}

const deepest = 6;

/** rowsOf lays the fields of a schema out, one below the other. Schemas that contain themselves end there. */
export function rowsOf(document: Document, schema: Schema): SchemaRow[] {
	return below(document, schema, "", 0, []);
}

function below(document: Document, schema: Schema, at: string, depth: number, open: string[]): SchemaRow[] {
	const { inner, names } = innermost(document, schema);
	if (depth >= deepest) return [];
	return Object.entries(inner.properties ?? {}).flatMap(([name, property]) => {
		const key = `${at}/${name}`;
		const found = resolve(document, property);
		const path = [...open, ...names];
		const again = innermost(document, property).names.some((one) => path.includes(one));
		const row: SchemaRow = {
			key,
			name,
			depth,
			type: typeOf(document, property),
			required: inner.required?.includes(name) ?? false,
			limits: limitsOf(found),
			description: found.description ?? "",
			again,
		};
		return [row, ...(again ? [] : below(document, property, key, depth + 1, path))];
	});
}

/** innermost goes through lists, and through a choice with null, to the object inside; names are the schemas on the way. */
function innermost(document: Document, schema: Schema): { inner: Schema; names: string[] } {
	const names: string[] = [];
	let inner = schema;
	for (let step = 0; step < deepest; step++) {
		const name = nameOf(inner);
		if (name) names.push(name);
		inner = resolve(document, inner);
		const one = choices(inner)?.find((choice) => !typesOf(resolve(document, choice)).includes("null"));
		const next =
			one ?? inner.items ?? (typeof inner.additionalProperties === "object" ? inner.additionalProperties : undefined);
		if (!next || inner.properties) break;
		inner = next;
	}
	return { inner, names };
}
