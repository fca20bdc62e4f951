import { existsSync, readdirSync, readFileSync } from "node:fs";
import { parseAst } from "vite";
import { describe, expect, test } from "vitest";
import { ownerOf, sources } from "./files";

type Messages = Map<string, string>;

function flatten(value: object, prefix = ""): [string, string][] {
	return Object.entries(value).flatMap(([key, inner]) =>
		typeof inner === "object"
			? flatten(inner as object, `${prefix}${key}.`)
			: [[prefix + key, String(inner)] as [string, string]],
	);
}

const catalogues = new Map<string, Record<string, Messages>>();
for (const { path, text } of sources(/^(en|de)\.json$/)) {
	const owner = ownerOf(path);
	const language = path.endsWith("de.json") ? "de" : "en";
	catalogues.set(owner, { ...catalogues.get(owner), [language]: new Map(flatten(JSON.parse(text) as object)) });
}

const code = sources(/\.tsx?$/)
	.filter(({ path }) => !/^test\/|\.test\.tsx?$/.test(path))
	.map(({ path, text }) => ({ path, text: text.replace(/^\s*(\/\*\*.*?\*\/|\/\/.*)$/gm, "") }));
/** Shared pieces that ask for a feature's keys by their agreed names. */
const askers = /\b(ResourcePage|ResourceSection|ServicePage|SettingsForm)\b/;
const shared = code
	.filter(({ path }) => /^ui\/(ResourcePage|ResourceSection|ServicePage|SettingsForm)\.tsx$/.test(path))
	.map(({ text }) => text)
	.join("\n");
/** i18next adds these to a key by itself. */
const bare = (key: string) => key.replace(/_(one|other)$/, "");
const variables = (text: string) => [...text.matchAll(/\{\{(\w+)\}\}/g)].map((match) => match[1]).sort();

/** components are those of the server that find problems, by their folders. */
const components = readdirSync("../internal/component").filter(
	(name) =>
		name !== "problems" &&
		existsSync(`../internal/component/${name}/component.go`) &&
		/\bProblems:/.test(readFileSync(`../internal/component/${name}/component.go`, "utf8")),
);

/** ours are those that the browser says. What the server says is held against its code by tools/house. */
const ours = (key: string) => !/^(texts|noun)\./.test(key);

/** asked are the keys that a piece of code names as they are. */
const asked = (text: string) => [...text.matchAll(/\bt\("([\w.-]+)"/g)].map((match) => match[1]!);

/** textOf is all code that may use the messages of a namespace. */
function textOf(owner: string): string {
	const own = code
		.filter(({ path }) => ownerOf(path) === owner)
		.map(({ text }) => text)
		.join("\n");
	return askers.test(own) ? own + shared : own;
}

describe.each([...catalogues])("messages of %s", (owner, { en, de }) => {
	// Bar web.10.
	test("exist in English and German, with the same variables", () => {
		expect([...(de?.keys() ?? [])].filter(ours).sort()).toEqual([...(en?.keys() ?? [])].filter(ours).sort());
		for (const [key, text] of en ?? []) {
			if (!ours(key)) continue;
			expect(text, key).not.toBe("");
			expect(variables(de?.get(key) ?? ""), key).toEqual(variables(text));
		}
	});

	test("are all used", () => {
		const text = textOf(owner);
		const prefixes = [...text.matchAll(/`([\w.-]+\.)\$\{/g)].map((match) => match[1]!);
		const suffixes = [...text.matchAll(/`\$\{[^}]+\}(\.[\w.-]+)`/g)].map((match) => match[1]!);
		// ns="dns/record" asks for what is below "record".
		const parts = [...text.matchAll(/"[\w-]+\/(\w+)"/g)].map((match) => `${match[1]!}.`);
		const used = (key: string): boolean =>
			parts.some((part) => key.startsWith(part) && used(key.slice(part.length))) ||
			text.includes(`"${bare(key)}"`) ||
			!ours(key) ||
			key === "title" ||
			prefixes.some((prefix) => key.startsWith(prefix)) ||
			suffixes.some((suffix) => key.endsWith(suffix)) ||
			(/^(field|help|option|placeholder|section|zero|action|services|problems|check)\./.test(key) &&
				!["app", "ui"].includes(owner));
		expect([...(en?.keys() ?? [])].filter((key) => !used(key))).toEqual([]);
	});

	test("that the code asks for are there", () => {
		const keys = new Set([...(en?.keys() ?? [])].map(bare));
		const own = code.filter(({ path }) => ownerOf(path) === owner);
		const missing = own.flatMap(({ path, text }) =>
			// A file with two namespaces names the second function otherwise than t.
			(owner !== "ui" && /useTranslation\("ui"\)/.test(text) ? [] : asked(text))
				.filter((key) => !keys.has(key) && !/^ui\/(Resource|ServicePage|Settings)/.test(path))
				.map((key) => `${path}: ${key}`),
		);
		expect(missing).toEqual([]);
	});
});

// The problems, the dashboard and the palette name a feature by it; the server names its components alike.
test("every feature has a title in English and German", () => {
	const features = [...catalogues].filter(([owner]) => !["app", "ui"].includes(owner));
	const nameless = features.filter(([, { en, de }]) => !en?.get("title") || !de?.get("title"));
	expect(nameless.map(([owner]) => owner)).toEqual([]);
	expect(components.filter((name) => !catalogues.has(name))).toEqual([]);
	expect(components).toContain("network");
});

test("the words of a service stand once, in the folder of its feature", () => {
	const owners = new Map<string, string[]>();
	for (const [owner, { en }] of catalogues) {
		for (const key of en?.keys() ?? []) {
			const service = /^services\.([\w-]+)\.name$/.exec(key)?.[1];
			if (service) owners.set(service, [...(owners.get(service) ?? []), owner]);
		}
	}
	expect([...owners].filter(([, folders]) => folders.length > 1)).toEqual([]);
	expect([...owners].filter(([service, [owner]]) => catalogues.has(service) && owner !== service)).toEqual([]);
	// Whatever is applied is named when it is.
	const applied = code.flatMap(({ text }) => [...text.matchAll(/\bcomponent: "([\w-]+)"/g)].map((match) => match[1]!));
	expect([...new Set(applied)].filter((name) => !owners.has(name))).toEqual([]);
	expect(owners.size).toBeGreaterThan(10);
});

/** Names are the same in every language, and so is what stands in these elements. */
const untranslated = new Set(["Gateway"]);
const codeElements = new Set(["code", "kbd", "pre", "samp", "ClipboardCopy", "Command"]);
const visible = new Set([
	"aria-label",
	"title",
	"placeholder",
	"label",
	"alt",
	"description",
	"screenReaderText",
	"text",
]);

interface Node {
	type: string;
	value?: unknown;
	name?: { name?: string };
	openingElement?: Node;
}

function strings(node: unknown, found: string[]): string[] {
	if (Array.isArray(node)) for (const child of node) strings(child, found);
	if (typeof node !== "object" || node === null || Array.isArray(node)) return found;
	const { type, value, name, openingElement } = node as Node;
	if (codeElements.has(openingElement?.name?.name ?? "")) return strings(openingElement, found);
	if (type === "JSXText") found.push(String(value));
	const literal = (value as { value?: unknown } | undefined)?.value;
	if (type === "JSXAttribute" && visible.has(name?.name ?? "") && typeof literal === "string") found.push(literal);
	for (const child of Object.values(node)) strings(child, found);
	return found;
}

test("no words stand in the code itself", () => {
	const said = code
		.filter(({ path }) => path.endsWith(".tsx"))
		.flatMap(({ path, text }) =>
			strings(parseAst(text, { lang: "tsx" }), [])
				.map((words) => words.trim())
				.filter((words) => /\p{Ll}{2}/u.test(words) && !untranslated.has(words))
				.map((words) => `${path}: ${words}`),
		);
	expect(said).toEqual([]);
});

test("what is looked for is found where it is", () => {
	const planted = 'const a = <p title="Some words">{t("a.key")} More words <code>not these</code></p>';
	const found = strings(parseAst(planted, { lang: "tsx" }), []).map((words) => words.trim());
	expect(found.filter((words) => words !== "")).toEqual(["Some words", "More words"]);
	expect(asked(planted)).toEqual(["a.key"]);
	expect(catalogues.size).toBeGreaterThan(8);
	expect(code.flatMap(({ text }) => asked(text)).length).toBeGreaterThan(200);
});
