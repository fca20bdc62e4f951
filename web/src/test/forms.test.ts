import type { FormSpec } from "@ui";
import { describe as inputOf } from "@ui/fields";
import { expect, test } from "vitest";

const modules = import.meta.glob<{ form?: FormSpec }>("../features/*/*{F,f}orm.ts", { eager: true });
const forms = Object.entries(modules).flatMap(([path, { form }]) =>
	form ? [[path.replace("../", ""), form] as const] : [],
);

test("there are forms to look at", () => expect(forms.length).toBeGreaterThan(12));

test.each(forms)("%s asks for what it needs before what it can do without", (_, { schema, fields }) => {
	// What another field decides over stands behind that one.
	const inputs = fields.map((field) => inputOf(schema, field)).filter((input) => !input.when);
	for (const section of new Set(inputs.map((input) => input.section))) {
		const needed = inputs.filter((input) => input.section === section).map((input) => input.required);
		expect(needed, section).toEqual(needed.toSorted((a, b) => Number(b) - Number(a)));
		if (section === "advanced") expect(needed).not.toContain(true);
	}
});
