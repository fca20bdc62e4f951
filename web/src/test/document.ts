import api from "../../openapi.json";
import { ok } from "./server";

interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	enum?: unknown[];
	examples?: unknown[];
	minimum?: number;
	items?: Schema;
	properties?: Record<string, Schema>;
	additionalProperties?: boolean | Schema;
}

const schemas = api.components.schemas as Record<string, Schema>;
const paths = api.paths as Record<string, Record<string, { responses: Record<string, unknown> }>>;

const templates = Object.keys(paths).map((path) => ({
	path,
	// As the server reads it: a parameter is one word of the path, and a query is none.
	fits: new RegExp(`^${path.replace(/\{\w+\}/g, "[^/?#]+")}$`),
	parameters: path.split("{").length,
}));

/** operationAt is the operation of the OpenAPI document that a request reaches, such as "DELETE /users/{id}". */
export function operationAt(method: string, path: string): string | undefined {
	const verb = method.toLowerCase();
	const found = templates
		.filter((template) => template.fits.test(path) && paths[template.path]?.[verb])
		.sort((a, b) => a.parameters - b.parameters)[0];
	return found && `${method} ${found.path}`;
}

/** bodyOf is what an operation takes. */
function bodyOf(operation: string): Schema {
	const [method = "", path = ""] = operation.split(" ");
	const { requestBody } = (paths[path]?.[method.toLowerCase()] ?? {}) as {
		requestBody?: { content: Record<string, { schema: Schema }> };
	};
	return Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
}

const followed = (schema: Schema): Schema => (schema.$ref ? (schemas[schema.$ref.split("/").at(-1)!] ?? {}) : schema);

/** switchable are the updates of rows that can be switched on and off. */
export const switchable = (): string[] =>
	Object.keys(paths)
		.filter((path) => path.endsWith("/{id}") && paths[path]?.put)
		.map((path) => `PUT ${path}`)
		.filter((operation) => {
			const { active, enabled } = followed(bodyOf(operation)).properties ?? {};
			return active?.type === "boolean" || enabled?.type === "boolean";
		});

/** strangers are the fields of a body that the document does not know for the operation, which refuses it then. */
export const strangers = (operation: string, body: object): string[] => unknownTo(bodyOf(operation), body);

function unknownTo(schema: Schema, value: unknown): string[] {
	const { properties } = followed(schema);
	if (!properties || typeof value !== "object" || value === null || Array.isArray(value)) return [];
	return Object.entries(value).flatMap(([name, one]) => {
		const field = properties[name];
		return field ? unknownTo(field, one).map((inner) => `${name}.${inner}`) : [name];
	});
}

/**
 * sample is a value as a schema describes it. A list has two rows: in the first one every switch is on, in the second
 * every one is off. number tells texts apart; it is odd where switches are on.
 */
function sample({ $ref, ...schema }: Schema, name: string, number: number): unknown {
	if ($ref) return sample(followed({ $ref }), name, number);
	const type = [schema.type].flat()[0];
	const on = number % 2 === 1;
	if (schema.enum || (schema.examples && on)) return (schema.examples ?? schema.enum)?.[0];
	if (type === "array") return [1, 2].map((place) => sample(schema.items ?? {}, name, 10 * number + place));
	if (type === "object") {
		const fields = Object.entries(schema.properties ?? {});
		return Object.fromEntries(fields.map(([key, field]) => [key, sample(field, key, number)]));
	}
	if (type === "boolean") return on;
	if (type === "integer" || type === "number") return Math.max(schema.minimum ?? 1, 1);
	return schema.format === "date-time" ? "2026-01-01T00:00:00Z" : `${name}-${number}`;
}

/** sampled answers a request as the OpenAPI document describes the answer; lists have two rows. */
export function sampled(request: Request): Response {
	const path = new URL(request.url).pathname.replace("/api/v1", "");
	const operation = operationAt(request.method, path);
	if (!operation) throw new TypeError(`the document has no ${request.method} ${path}`);
	const [method = "", template = ""] = operation.split(" ");
	const { "200": good } = paths[template]?.[method.toLowerCase()]?.responses ?? {};
	const { content } = (good ?? {}) as { content?: Record<string, { schema: Schema }> };
	const { data } = sample(content?.["application/json"]?.schema ?? {}, "", 1) as { data: unknown };
	return ok(data, Array.isArray(data) ? { "X-Total-Count": String(data.length) } : {});
}
