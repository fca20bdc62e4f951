import { expect, test } from "vitest";
import api from "../../openapi.json";
import { sources } from "./files";

interface Schema {
	$ref?: string;
	type?: string | string[];
	description?: string;
	properties?: Record<string, Schema>;
}

const schemas = api.components.schemas as Record<string, Schema>;
const forms = sources(/\.tsx?$/).filter(({ path }) => /^features\//.test(path) && !/\.test\.tsx?$/.test(path));

const unitInName = /_(ms|s|seconds|minutes|hours|days|mb|megabytes|bytes|percent)$|_percent_/;
const unitInWords = /\b(milli)?seconds?\b|\b(minute|hour|day|byte)s?\b|\b[KMG]iB\b|\bpercent/i;

/** Fields that say their unit in another way. */
const others: Record<string, string> = {
	days: "the lifetime of a token is one of a few, each in words",
	confirm_within: "how long a restore waits is one of a few, each in words",
};

/** within are the schemas of a request's body. */
function within(value: unknown, found = new Set<string>()): Set<string> {
	if (typeof value !== "object" || value === null) return found;
	for (const [key, inner] of Object.entries(value)) {
		const name = key === "$ref" ? String(inner).split("/").at(-1)! : "";
		if (name && !found.has(name)) within(schemas[name], found.add(name));
		else if (!name) within(inner, found);
	}
	return found;
}

const isNumber = ({ type }: Schema) => [type].flat().some((one) => one === "integer" || one === "number");

/** counted are the numbers of all requests that count seconds, bytes and the like. */
const bodies = within(
	Object.values(api.paths).flatMap((path) =>
		Object.values(path as Record<string, { requestBody?: unknown }>).map(({ requestBody }) => requestBody),
	),
);
const counted = [...bodies].flatMap((body) =>
	Object.entries(schemas[body]?.properties ?? {})
		.filter(([name, field]) => isNumber(field) && (unitInName.test(name) || unitInWords.test(field.description ?? "")))
		.map(([name]) => name),
);

/** objectAt is the innermost object literal around a place of a text. */
function objectAt(text: string, at: number): string {
	const edge = (step: 1 | -1) => {
		const [opens, closes] = step === 1 ? "{}" : "}{";
		let place = at;
		for (let depth = 0; depth > 0 || text[place] !== closes; place += step) {
			if (text[place] === opens) depth++;
			if (text[place] === closes) depth--;
		}
		return place;
	};
	return text.slice(edge(-1), edge(1) + 1);
}

/** fieldsOf are the inputs of this name on all forms, with what they take from a shared object of their file. */
const fieldsOf = (name: string) =>
	forms.flatMap(({ path, text }) =>
		[...text.matchAll(new RegExp(`\\bname: "${name}"`, "g"))].map(({ index }) => {
			const field = objectAt(text, index);
			const shared = [...field.matchAll(/\.\.\.(\w+)/g)].map(([, one]) =>
				text.slice(text.search(new RegExp(`const ${one}\\b`))).split(";", 1),
			);
			return { path, text: [field, ...shared].join() };
		}),
	);

test("there are numbers with a unit to look at", () => {
	const asked = counted.filter((name) => fieldsOf(name).length > 0);
	expect(asked).toContain("hsts_max_age");
	expect(asked.length).toBeGreaterThan(25);
});

test.each(Object.entries(others))("%s is an exception still: %s", (name) => expect(counted).toContain(name));

test.each(counted.filter((name) => !(name in others)))("%s has its unit beside it and usual values", (name) => {
	const raw = fieldsOf(name).filter(({ text }) => !/\bunit: "/.test(text) || !/\bpresets: \[/.test(text));
	expect(raw.map(({ path }) => path)).toEqual([]);
});
