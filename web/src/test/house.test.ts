import { expect, test } from "vitest";
import { sources } from "./files";

const code = sources(/\.tsx?$/).filter(({ path }) => !path.startsWith("test/") && !/\.test\.tsx?$/.test(path));

const importsOf = (text: string) => [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1]!);

/** What a folder may import beside packages; our own folders go by "@api" and "@ui". */
function allowed(path: string, target: string): boolean {
	const [layer, feature] = path.split("/");
	const own = !target.startsWith("..");
	if (target.startsWith("@api")) return layer !== "api";
	if (target.startsWith("@ui")) return layer === "features" || layer === "app";
	if (!target.startsWith(".")) return true;
	if (own) return true;
	// Inside of a feature's own folders only.
	const up = new URL(target, `file:///${path}`).pathname.slice(1);
	return layer === "features"
		? up.startsWith(`features/${feature}/`)
		: up.startsWith(`${layer}/`) || (layer === "app" && up === "ui/ui.css");
}

test("api knows nobody, ui knows api, a feature knows api, ui and itself", () => {
	const wrong = code.flatMap(({ path, text }) =>
		importsOf(text)
			.filter((target) => !allowed(path, target))
			.map((target) => `${path} imports ${target}`),
	);
	expect(wrong).toEqual([]);
});

test("a feature's index is tiny: the page comes by import()", () => {
	const heavy = code
		.filter(({ path }) => /^features\/[^/]+\/index\.tsx?$/.test(path))
		.flatMap(({ path, text }) =>
			[...text.matchAll(/^import (?!type).*from "(@ui|@api\/schemas)"/gm)].map((match) => `${path}: ${match[0]}`),
		);
	expect(heavy).toEqual([]);
});

test("a file holds one noun in at most 200 lines", () => {
	const long = sources(/\.tsx?$/)
		.map(({ path, text }) => ({ path, lines: text.split("\n").length }))
		.filter(({ lines }) => lines > 200);
	expect(long).toEqual([]);
});

test("nothing that our Content-Security-Policy forbids", () => {
	const forbidden = /dangerouslySetInnerHTML|\beval\(|new Function\(|\.innerHTML\s*=|createElement\("style"\)/;
	expect(code.filter(({ text }) => forbidden.test(text)).map(({ path }) => path)).toEqual([]);
});
