import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
// @ts-expect-error plain JavaScript, for the generator's own Node
import { simplify } from "./document.mjs";

const answer = (schema: object) => ({ description: "", content: { "application/json": { schema } } });
const document = {
	components: {
		schemas: {
			EnvelopeOfThing: { properties: { data: { $ref: "#/components/schemas/Thing" } } },
			Failure: {},
			Thing: {
				properties: {
					count: { type: "integer", format: "int64" },
					list: { type: ["array", "null"] },
					name: { type: "string", pattern: "^[^\\pC]+$" },
				},
			},
		},
	},
	paths: {
		"/thing": {
			get: {
				operationId: "get-thing",
				security: [{}],
				responses: { 200: answer({ $ref: "#/components/schemas/EnvelopeOfThing" }), 400: answer({}) },
			},
		},
		"/live": { get: { operationId: "live", responses: { 101: {} } } },
	},
};

test("the generator sees the API as the client uses it", () => {
	const { paths, components } = simplify(document);
	expect(Object.keys(paths)).toEqual(["/thing"]);
	expect(paths["/thing"].get.responses).toEqual({ 200: answer({ $ref: "#/components/schemas/Thing" }) });
	expect(components.schemas).toEqual({
		Thing: { properties: { count: { type: "integer" }, list: { type: "array" }, name: { type: "string" } } },
	});
});

test("src/api/generated was made from the openapi.json that is here", () => {
	const now = createHash("sha256").update(readFileSync("openapi.json")).digest("hex");
	expect(readFileSync("src/api/generated/SOURCE", "utf8").trim(), "run make openapi").toBe(now);
});
