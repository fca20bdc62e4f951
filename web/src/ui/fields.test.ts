import { zCreateTokenRequest, zUserInputWritable } from "@api/schemas";
import i18next from "i18next";
import { expect, test } from "vitest";
import * as z from "zod/mini";
import { bodyOf, describe, initialOf } from "./fields";
import { schemaResolver } from "./resolver";

const user = ["email", "role", "active", "password"].map((name) => describe(zUserInputWritable, { name }));

test("the kind of an input follows from the generated schema", () => {
	expect(user.map(({ name, kind, required }) => [name, kind, required])).toEqual([
		["email", "email", true],
		["role", "select", true],
		["active", "switch", false],
		["password", "password", false],
	]);
	expect(user[1]?.options).toEqual(["admin", "viewer"]);
	expect(describe(zCreateTokenRequest, { name: "days" })).toMatchObject({
		kind: "number",
		min: 1,
		max: 365,
		initial: 90,
	});
});

test("a form starts with the row, and else with the defaults of the schema", () => {
	expect(initialOf(user)).toEqual({ email: "", role: "", active: true, password: "" });
	expect(initialOf(user, { email: "a@b.c", role: "viewer", active: false })).toMatchObject({
		email: "a@b.c",
		active: false,
	});
});

test("of several choices none is a list, whatever the schema calls it", () => {
	const zones = describe(z.object({ zones: z.optional(z.array(z.string())) }), { name: "zones", kind: "choices" });
	expect(initialOf([zones])).toEqual({ zones: [] });
});

test("an optional field left empty is not sent", () => {
	expect(bodyOf(user, { email: "a@b.c", role: "viewer", active: false, password: "" })).toEqual({
		email: "a@b.c",
		role: "viewer",
		active: false,
	});
});

test("an optional field left empty is sent as nothing where the schema wants it", () => {
	const schema = z.object({ days: z.nullable(z.int()), host: z.string(), port: z.optional(z.int()) });
	const inputs = ["days", "host", "port"].map((name) => describe(schema, { name, required: false }));
	expect(bodyOf(inputs, { days: "", host: "", port: "" })).toEqual({ days: null, host: "" });
});

test("what the schema refuses is worded at its field", async () => {
	const check = schemaResolver(zUserInputWritable, user, i18next.getFixedT("en", "ui"));
	const { errors } = await check({ email: "a", role: "", active: true, password: "" }, undefined, {
		fields: {},
		shouldUseNativeValidation: false,
	});
	expect(errors.email?.message).toBe("At least 3 characters");
	expect(errors.role?.message).toBe("Select one");
	expect(errors.password).toBeUndefined();
});

test("a field that the schema does not have is a mistake of the programmer", () => {
	expect(() => describe(zUserInputWritable, { name: "nope" })).toThrow('no field "nope"');
});

test("a field that others rule out is neither sent nor needed", () => {
	const input = describe(zUserInputWritable, { name: "email", required: true, when: { role: ["viewer"] } });
	expect(bodyOf([input], { role: "admin", email: "a@b.c" })).toEqual({});
	expect(bodyOf([input], { role: "viewer", email: "a@b.c" })).toEqual({ email: "a@b.c" });
});
