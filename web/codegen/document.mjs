// document.mjs turns the server's OpenAPI document into the one the generator
// reads: what the SPA's client does at run time (taking the envelope off, throwing
// an ApiError) is done to the types here.

/** Operations that answer no JSON; pages that need them fetch them by hand. */
const raw = new Set(["docs", "metrics"]);

export function simplify(document) {
	const doc = structuredClone(document);
	const schemas = doc.components.schemas;
	for (const [path, item] of Object.entries(doc.paths)) {
		for (const [method, op] of Object.entries(item)) {
			if (raw.has(op.operationId) || op.responses["101"]) {
				delete item[method];
				continue;
			}
			delete op.security; // the session cookie travels by itself
			for (const [status, response] of Object.entries(op.responses)) {
				if (Number(status) >= 300) delete op.responses[status];
				else unwrap(response, schemas);
			}
		}
		if (Object.keys(item).length === 0) delete doc.paths[path];
	}
	for (const name of Object.keys(schemas)) {
		if (name.startsWith("Envelope") || name === "Failure") delete schemas[name];
	}
	walk(doc);
	return doc;
}

/** Answers data itself instead of {data, error}. */
function unwrap(response, schemas) {
	const body = response.content?.["application/json"];
	const name = body?.schema?.$ref?.split("/").pop();
	if (name?.startsWith("Envelope")) body.schema = schemas[name].properties.data;
}

function walk(node) {
	if (Array.isArray(node)) return node.forEach(walk);
	if (node === null || typeof node !== "object") return;
	// JSON numbers are doubles in a browser whatever the server calls them.
	if (node.format === "int64" || node.format === "double") delete node.format;
	// Lists are never null on our wire; Go's type only could be.
	if (Array.isArray(node.type) && node.type.includes("array")) node.type = "array";
	// RE2's \p has another spelling here; the server checks it anyway.
	if (typeof node.pattern === "string" && node.pattern.includes("\\p")) delete node.pattern;
	if (node.$ref && /^null\b/i.test(node.description ?? "")) {
		node.oneOf = [{ $ref: node.$ref }, { type: "null" }];
		delete node.$ref;
	}
	Object.values(node).forEach(walk);
}
