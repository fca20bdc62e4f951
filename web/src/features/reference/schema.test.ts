import { expect, test } from "vitest";
import { exampleOf } from "./example";
import { type Document, find, groupsOf, operationsOf, type Schema } from "./openapi";
import { limitsOf, resolve, rowsOf, typeOf } from "./schema";

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const document: Document = {
	components: {
		schemas: {
			User: {
				type: "object",
				required: ["email"],
				properties: {
					email: { type: "string", minLength: 3, maxLength: 254, examples: ["ann@example.com"] },
					role: { type: "string", enum: ["admin", "viewer"] },
					tags: { type: ["array", "null"], items: { type: "string" } },
				},
			},
			List: { type: "object", properties: { data: { type: ["array", "null"], items: ref("User") } } },
			Tree: {
				type: "object",
				properties: { name: { type: "string" }, children: { type: "array", items: ref("Tree") } },
			},
			Loop: ref("Pool"),
			Pool: ref("Loop"),
			Both: { allOf: [ref("User"), { type: "object", properties: { id: { type: "string" } }, required: ["id"] }] },
		},
	},
	paths: {
		"/users/{id}": {
			put: { operationId: "update-user", summary: "Replace a user", tags: ["user"], "x-gateway-access": "admin" },
			get: { operationId: "get-user", summary: "Get one user", tags: ["user"] },
		},
		"/audit/live": { get: { operationId: "live-audit", tags: ["audit"], responses: { "101": {} } } },
	},
};

test("references are followed, in circles only once", () => {
	expect(resolve(document, ref("User")).required).toEqual(["email"]);
	expect(resolve(document, ref("Loop"))).toEqual({});
	expect(resolve(document, ref("Nobody"))).toEqual({});
	expect(resolve(document, ref("constructor"))).toEqual({});
	expect(resolve(document, ref("Both")).required).toEqual(["email", "id"]);
});

test("types are short", () => {
	expect(typeOf(document, ref("User"))).toBe("User");
	expect(typeOf(document, { type: ["array", "null"], items: ref("User") })).toBe("User[] | null");
	expect(typeOf(document, { type: "string", format: "date-time" })).toBe("date-time");
	expect(typeOf(document, {})).toBe("any");
});

test("fields stand one below the other, those of lists too", () => {
	const rows = rowsOf(document, ref("List"));
	expect(rows.map(({ name, depth, required }) => [name, depth, required])).toEqual([
		["data", 0, false],
		["email", 1, true],
		["role", 1, false],
		["tags", 1, false],
	]);
});

test("a schema that contains itself ends there", () => {
	const rows = rowsOf(document, ref("Tree"));
	expect(rows.map(({ name, again }) => [name, again])).toEqual([
		["name", false],
		["children", true],
	]);
	expect(rowsOf(document, ref("Loop"))).toEqual([]);
});

test("rules are told", () => {
	expect(limitsOf({ minimum: 1, maximum: 1000, default: 100 })).toEqual([
		{ kind: "range", value: "1 – 1000" },
		{ kind: "default", value: "100" },
	]);
	expect(limitsOf({ enum: ["a", "b"], minLength: 3 })).toEqual([
		{ kind: "enum", value: "a, b" },
		{ kind: "length", value: "≥ 3" },
	]);
});

test("an example fits its schema and ends", () => {
	expect(exampleOf(document, ref("User"))).toEqual({ email: "ann@example.com", role: "admin", tags: [] });
	expect(exampleOf(document, ref("Tree"))).toEqual({ name: "", children: [] });
	const self: Document = { components: { schemas: { Self: { type: "object", properties: { me: ref("Self") } } } } };
	expect(exampleOf(self, ref("Self"))).toEqual({ me: null });
	expect(exampleOf(document, { type: "integer", minimum: 1 })).toBe(1);
});

test("operations are grouped and found", () => {
	const operations = operationsOf(document);
	expect(operations.map(({ method, id, access }) => [method, id, access])).toEqual([
		["GET", "get-user", "viewer"],
		["PUT", "update-user", "admin"],
		["GET", "live-audit", "viewer"],
	]);
	expect(operations[2]?.stream).toBe(true);
	expect(groupsOf(operations).map(({ tag }) => tag)).toEqual(["audit", "user"]);
	expect(find(operations, "put USER").map(({ id }) => id)).toEqual(["update-user"]);
	expect(find(operations, "  ")).toHaveLength(3);
});
