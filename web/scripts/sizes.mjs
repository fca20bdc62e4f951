// sizes.mjs measures the build: what the first page loads, and what every later page
// adds. With --check it fails when a limit is passed.
import { readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const dist = new URL("../dist/", import.meta.url);
const limits = { first: 300_000, page: 60_000 };
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
const messages = Object.values(manifest).find((chunk) => /messages-de/.test(chunk.file))?.file;
const fonts = readdirSync(new URL("assets/", dist)).filter((name) => name.startsWith("inter-"));
const first = new Set([...filesOf(entry), ...(messages ? [messages] : []), "index.html"]);
let failed = false;

function report(name, files, limit) {
	const total = [...files].reduce((sum, file) => sum + size(file), 0);
	const over = limit !== undefined && total > limit;
	failed ||= over;
	console.log(`${kB(total)}  ${name}${over ? `  OVER ${limit / 1000} kB` : ""}`);
	return total;
}

console.log("gzip");
const before = report("before the first page (html, script, style, messages)", first, limits.first);
for (const font of fonts) console.log(`${kB(size(`assets/${font}`))}  beside it, once: ${font}`);
for (const file of [...first].filter((name) => name !== "index.html"))
	console.log(`${kB(size(file))}    of it: ${file}`);
for (const [key, chunk] of Object.entries(manifest)) {
	if (!chunk.isDynamicEntry || /messages\//.test(key)) continue;
	const files = [...filesOf(key)].filter((file) => !first.has(file));
	report(key, files, /features\//.test(key) ? limits.page : undefined);
}
const signIn = [...filesOf("src/features/sign-in/SignInPage.tsx")].filter((file) => !first.has(file));
report("first page in all, when it is the sign-in page", new Set([...first, ...signIn]));
if (before === 0) failed = true;
process.exit(failed && process.argv.includes("--check") ? 1 : 0);
