// mutations.mjs makes a request that would succeed out of every mutation in the OpenAPI document.

const known = {
	email: "csrf@example.com",
	password: "Cobalt-Meadow-17",
	new_password: "Cobalt-Meadow-17",
	role: "admin",
	fqdn: "csrf.example.com",
	name: "csrf",
};

/** sample is a value that fits a schema. */
function sample(schema, document, name) {
	if (schema.$ref) return sample(document.components.schemas[schema.$ref.split("/").at(-1)], document, name);
	if (name in known) return known[name];
	if (schema.enum) return schema.enum.at(-1);
	switch ([schema.type].flat()[0]) {
		case "object": {
			const fields = Object.entries(schema.properties ?? {}).filter(
				([key]) => schema.required?.includes(key) || key in known,
			);
			return Object.fromEntries(fields.map(([key, inner]) => [key, sample(inner, document, key)]));
		}
		case "array":
			return [];
		case "boolean":
			return true;
		case "integer":
		case "number":
			return schema.minimum ?? 1;
		default:
			return "csrf".padEnd(schema.minLength ?? 4, "x");
	}
}

/** mutationsOf lists them; ids are real ones for the paths: { "/users/{id}": "…" }. */
export function mutationsOf(document, ids) {
	return Object.entries(document.paths).flatMap(([path, operations]) =>
		Object.entries(operations)
			.filter(([method]) => ["post", "put", "patch", "delete"].includes(method))
			.map(([method, { operationId, requestBody }]) => {
				const schema = requestBody?.content?.["application/json"]?.schema;
				const prefix = Object.keys(ids).find((key) => path.startsWith(key)) ?? "";
				return {
					id: operationId,
					method: method.toUpperCase(),
					path: path.replace(/\{\w+\}/, ids[prefix] ?? "0"),
					body: schema && sample(schema, document, ""),
				};
			}),
	);
}
