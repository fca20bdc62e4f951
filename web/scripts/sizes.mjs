// sizes.mjs measures the build: what the first page loads, and what every later page
// adds. With --check it fails when a limit is passed.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const limits = { first: 300_000, page: 60_000, words: 10_000 };
const manifest = JSON.parse(readFileSync(new URL(".vite/manifest.json", dist), "utf8"));
const size = (file) => gzipSync(readFileSync(new URL(file, dist)), { level: 9 }).length;
const kB = (bytes) => `${(bytes / 1000).toFixed(1).padStart(7)} kB`;

/** filesOf is a chunk's script and style with everything it imports statically. */
function filesOf(key, seen = new Set()) {
	const chunk = manifest[key];
	if (!chunk || seen.has(key)) return new Set();
	seen.add(key);
	const files = new Set([chunk.file, ...(chunk.css ?? [])]);
	for (const name of chunk.imports ?? []) for (const file of filesOf(name, seen)) files.add(file);
	return files;
}

const entry = Object.keys(manifest).find((key) => manifest[key].isEntry);
const languages = ["de", "en"];
const messagesOf = (language) =>
	Object.values(manifest).find(({ file }) => file.includes(`/messages-${language}-`))?.file;
const fonts = readdirSync(new URL("assets/", dist)).filter((name) => name.startsWith("inter-"));
const common = new Set([...filesOf(entry), "index.html"]);
let failed = false;

function report(name, files, limit) {
	const total = [...files].reduce((sum, file) => sum + size(file), 0);
	const over = limit !== undefined && total > limit;
	failed ||= over;
	console.log(`${kB(total)}  ${name}${over ? `  OVER ${limit / 1000} kB` : ""}`);
	return total;
}

console.log("gzip");
// Without its messages a language is not measured.
if (languages.some((language) => !messagesOf(language))) throw new Error("no file of messages");
for (const language of languages)
	report(
		`before the first page (html, script, style, messages-${language})`,
		new Set([...common, messagesOf(language)]),
		limits.first,
	);
const first = new Set([...common, ...languages.map(messagesOf)]);
for (const font of fonts) console.log(`${kB(size(`assets/${font}`))}  beside it, once: ${font}`);
for (const file of [...first].filter((name) => name !== "index.html"))
	console.log(`${kB(size(file))}    of it: ${file}`);
for (const [key, chunk] of Object.entries(manifest)) {
	if (!chunk.isDynamicEntry || /catalogs\/|messages\//.test(key)) continue;
	const files = [...filesOf(key)].filter((file) => !first.has(file));
	report(key, files, /features\//.test(key) ? limits.page : undefined);
}
// The words of a feature come once, with the first of its pages.
for (const { file } of Object.values(manifest)) if (/\/page-/.test(file)) report(file, [file], limits.words);
const signIn = [...filesOf("src/features/sign-in/SignInPage.tsx")].filter((file) => !first.has(file));
report("first page in all, in German, when it is the sign-in page", new Set([...common, messagesOf("de"), ...signIn]));
process.exit(failed && process.argv.includes("--check") ? 1 : 0);
