import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parts } from "./parts";

type Words = Record<string, unknown>;

const src = join(process.cwd(), "src");
const ui = join(src, "ui/messages/de.json");
const files = readdirSync(join(src, "features")).map((name) => join(src, "features", name, "messages/de.json"));
const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Words;
const load = (id: string) => {
	const code = parts().load(id)?.code;
	return code && (JSON.parse(code.replace(/^export default |;$/g, "")) as Words);
};

/** leaves are all words with their places: "site.title" … */
const leaves = (words: unknown, at = ""): string[] =>
	typeof words === "string"
		? [`${at} ${words}`]
		: Object.entries(words as Words).flatMap(([key, inner]) => leaves(inner, `${at}.${key}`));

test("the words of app and ui are in the first load, but for what the server says", () => {
	const { texts, ...words } = read(ui);
	expect(load(`${ui}?texts`)).toEqual({ texts });
	expect(load(`${ui}?words`)).toEqual(words);
	expect(load(`${ui}?page`)).toEqual({});
	expect(Object.keys(texts as object).length).toBeGreaterThan(50);
});

test.each(files)("the parts of a catalog are the catalog, and no two have the same: %s", (file) => {
	const all = ["words", "page", "texts"].flatMap((part) => leaves(load(`${file}?${part}`)));
	expect(all.sort()).toEqual(leaves(read(file)).sort());
});

test("a feature has its titles in the first load, its problems with the texts, and the rest with its page", () => {
	const file = join(src, "features/proxy/messages/de.json");
	const { title, site, problems, check, action, lead } = read(file) as Record<string, Words>;
	const words = load(`${file}?words`) as Record<string, Words>;
	expect(words).toMatchObject({ title, action, site: { detail: site?.detail } });
	expect(Object.keys(words.site!)).toEqual(["detail"]);
	expect(load(`${file}?texts`)).toMatchObject({ problems, check });
	expect(load(`${file}?page`)).toMatchObject({ lead, site: { search: site?.search } });
});

test.each(["dashboard", "sign-in"])("a visit begins with all words of %s", (name) => {
	const file = join(src, "features", name, "messages/de.json");
	expect(load(`${file}?page`)).toEqual({});
	expect(load(`${file}?words`)).toHaveProperty("title");
});

test("what is below problems is a code of the server", () => {
	const wrong = files.flatMap((file) =>
		Object.entries((read(file).problems ?? {}) as Record<string, Words>)
			.filter(([, { message }]) => typeof message !== "string")
			.map(([code]) => `${file}: ${code}`),
	);
	expect(wrong).toEqual([]);
});

test("other files are nobody's business here", () => {
	expect(load(ui)).toBeUndefined();
	expect(load(`${ui}?raw`)).toBeUndefined();
	expect(load(`${ui.replace("messages", "other")}?texts`)).toBeUndefined();
});
