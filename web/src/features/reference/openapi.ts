/** Schema is the part of JSON Schema that our document uses. */
export interface Schema {
	$ref?: string;
	type?: string | string[];
	format?: string;
	description?: string;
	properties?: Record<string, Schema>;
	required?: string[];
	items?: Schema;
	additionalProperties?: boolean | Schema;
	oneOf?: Schema[];
	anyOf?: Schema[];
	allOf?: Schema[];
	enum?: unknown[];
	default?: unknown;
	examples?: unknown[];
	pattern?: string;
	minimum?: number;
	maximum?: number;
	minLength?: number;
	maxLength?: number;
	minItems?: number;
	maxItems?: number;
}

export interface Parameter {
	name: string;
	in: string;
	required?: boolean;
	description?: string;
	schema?: Schema;
}

interface Content {
	content?: Record<string, { schema?: Schema }>;
}

interface RawOperation {
	operationId?: string;
	summary?: string;
	description?: string;
	tags?: string[];
	parameters?: Parameter[];
	requestBody?: Content;
	responses?: Record<string, Content & { description?: string; headers?: Record<string, unknown> }>;
	"x-gateway-access"?: string;
}

/** Document is GET /openapi.json. */
export interface Document {
	info?: { title?: string; version?: string; description?: string };
	paths?: Record<string, Record<string, RawOperation>>;
	components?: { schemas?: Record<string, Schema> };
}

export interface Answer {
	status: string;
	description: string;
	schema?: Schema;
	headers: string[];
}

/** Operation is one thing that the API can do. */
export interface Operation {
	id: string;
	method: string;
	path: string;
	tag: string;
	summary: string;
	description: string;
	/** Who may: public, self, viewer, admin. */
	access: string;
	parameters: Parameter[];
	body?: Schema;
	answers: Answer[];
	/** A WebSocket; it cannot be tried with a plain request. */
	stream: boolean;
}

const methods = ["get", "post", "put", "patch", "delete"];

const schemaOf = (content: Content | undefined) =>
	Object.entries(content?.content ?? {}).find(([type]) => type.startsWith("application/json"))?.[1].schema;

function operationOf(path: string, method: string, raw: RawOperation): Operation {
	const responses = Object.entries(raw.responses ?? {});
	return {
		id: raw.operationId ?? `${method} ${path}`,
		method: method.toUpperCase(),
		path,
		tag: raw.tags?.[0] ?? "",
		summary: raw.summary ?? "",
		description: raw.description ?? "",
		access: raw["x-gateway-access"] ?? "viewer",
		parameters: raw.parameters ?? [],
		body: schemaOf(raw.requestBody),
		answers: responses.map(([status, response]) => ({
			status,
			description: response.description ?? "",
			schema: schemaOf(response),
			headers: Object.keys(response.headers ?? {}),
		})),
		stream: responses.some(([status]) => status === "101"),
	};
}

/** operationsOf reads all operations, in the order of their paths and methods. */
export function operationsOf(document: Document): Operation[] {
	return Object.entries(document.paths ?? {}).flatMap(([path, item]) =>
		methods.flatMap((method) => (item[method] ? [operationOf(path, method, item[method])] : [])),
	);
}

/** find keeps the operations that contain every word. */
export function find(operations: Operation[], query: string): Operation[] {
	const words = query.toLowerCase().split(/\s+/).filter(Boolean);
	return operations.filter(({ id, method, path, summary }) => {
		const text = `${method} ${path} ${summary} ${id}`.toLowerCase();
		return words.every((word) => text.includes(word));
	});
}

/** groupsOf puts operations together by their tag. */
export function groupsOf(operations: Operation[]): { tag: string; operations: Operation[] }[] {
	const tags = [...new Set(operations.map(({ tag }) => tag))].sort();
	return tags.map((tag) => ({ tag, operations: operations.filter((operation) => operation.tag === tag) }));
}
