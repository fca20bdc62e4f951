// geometry.mjs looks at every page with all kinds of data, at all widths, in both themes and languages, and measures
// its layout. What the API answers is made up: see lib/answers.mjs.
import { mkdirSync } from "node:fs";
import { kinds } from "./lib/answers.mjs";
import { ofTheme, serious } from "./lib/axe.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { note } from "./lib/driver.mjs";
import { measure, plant, unplant } from "./lib/geometry.mjs";
import { addEntries } from "./lib/navigation.mjs";
import { quiet } from "./lib/quiet.mjs";
import { uuid } from "./lib/samples.mjs";
import { stage } from "./lib/stage.mjs";
import { busy } from "./lib/steps.mjs";
import { said } from "./lib/watch.mjs";

/**
 * gate: each page with one kind of data, at two widths in the same window, for opening a page takes longer than looking
 * at it; ci: at all widths, each with another kind of data; torture: everything, the widths with the navigation beside
 * the page in one window and those without in another.
 */
const extent = process.env.EXTENT ?? "ci";
const only = process.env.ONLY && new RegExp(process.env.ONLY);
const shots = process.env.SHOTS;
/** axe takes longer than all else, and at the gate another test has shown it every page. */
const auditEvery = Number(process.env.AUDIT_EVERY ?? (extent === "gate" ? 30 : 1));
/** hasDrawer says that the navigation is opened by a button, and lies over the page then. */
const hasDrawer = ({ width }) => width < 1200;

const sizes = [
	{ width: 390, height: 844 },
	{ width: 768, height: 1024 },
	{ width: 1024, height: 768 },
	{ width: 1440, height: 900 },
	{ width: 1920, height: 1080 },
].filter(({ width }) => extent !== "gate" || width === 390 || width === 1024);
const languages = { en: "en-GB", de: "de-DE" };
const themes = ["light", "dark"];

/** jobs are what is looked at in one window: a kind of data at some widths in a language, and which of the pages. */
function jobs() {
	const names = Object.keys(kinds);
	if (extent === "gate")
		return names.map((kind, k) => ({
			kind,
			sizes: [...sizes],
			language: Object.keys(languages)[(k + 1) % 2], // long names in German
			themes: [themes[k % 2]],
			takes: (n) => n % names.length === k,
		}));
	if (extent === "torture")
		return names.flatMap((kind) =>
			Object.keys(languages).flatMap((language) =>
				[sizes.filter(hasDrawer), sizes.filter((size) => !hasDrawer(size))].map((some) => ({
					kind,
					sizes: some,
					language,
					themes,
					takes: () => true,
				})),
			),
		);
	return names.flatMap((kind, k) =>
		sizes.map((size, s) => ({
			kind,
			sizes: [size],
			language: Object.keys(languages)[(k + s) % 2],
			themes: [themes[(k + s + (s > 1)) % 2]],
			// Over the widths each page meets each kind of data.
			takes: (n) => (n + s) % names.length === k,
		})),
	);
}

const nameOf = ({ kind, sizes, language }) => `${kind} ${sizes[0].width} ${language}`;

const found = { overlaps: [], cut: [], sideways: [], axe: [] };
/** broken are faults of a page's own code; it shows an apology then, whose layout is fine. */
const broken = () =>
	said.filter((line) => /\b(Type|Reference|Range|Syntax)Error\b/.test(line)).map((line) => line.slice(0, 300));
const visited = new Set();
const forms = new Map();
let [looks, audits] = [0, 0];

/** rest waits until a page has all that it asks for. What loads for ever is shown as it is. */
async function rest(page) {
	await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
	await quiet(page, 60);
	await page
		.waitForFunction((busy) => !document.querySelector(`main :is(${busy}), [role=dialog] :is(${busy})`), busy, {
			timeout: 4_000,
		})
		.catch(() => note(`${page.url()} still loads`));
}

/** follow opens an address without a new document, as a link does. */
async function follow(page, href) {
	await page.evaluate((href) => window.__TSR_ROUTER__.history.push(href), href);
	await rest(page).catch(async (error) => {
		// A part that could not be loaded has the page load itself anew, as after an upgrade.
		if (!/context was destroyed/.test(error)) throw error;
		note(`${href} was loaded anew`);
		await page.waitForLoadState();
		await rest(page);
	});
}

/** routesOf are the addresses of all pages that the product has, with an object where one is asked for. */
async function routesOf(base) {
	const page = await open({ baseURL: base });
	await page.goto("/reset-password");
	await page.waitForFunction(() => window.__TSR_ROUTER__);
	const all = await page.evaluate(() =>
		Object.values(window.__TSR_ROUTER__.routesByPath).map(({ id, fullPath }) => ({
			path: fullPath,
			bare: id.startsWith("/bare"),
		})),
	);
	await page.context().close();
	return [...all, { path: "/nowhere", bare: false }]
		.map(({ path, bare }) => ({ path: path.replace(/\$\w+/g, uuid(1)), bare }))
		.sort((a, b) => a.bare - b.bare);
}

/**
 * look measures what is shown now, in each theme and at each width of the job, and has axe look at the first of them. The
 * next page is opened at the last width.
 */
async function look(page, job, name) {
	visited.add(name);
	for (const [n, { width, height }] of job.sizes.entries()) {
		if (n > 0) {
			await page.setViewportSize({ width, height });
			await rest(page);
		}
		await lookAt(page, job, name, width, n === 0 || extent === "gate");
	}
	job.sizes.reverse();
}

async function lookAt(page, job, name, width, audited) {
	for (const theme of job.themes) {
		await page.emulateMedia({ colorScheme: theme });
		const where = `${name} [${job.kind} ${width} ${theme} ${job.language}]`;
		const result = await page.evaluate(measure);
		looks++;
		for (const [what, all] of Object.entries(result)) for (const one of all) found[what].push(`${where}: ${one}`);
		if (audited && looks % auditEvery === 0) {
			audits++;
			// Beside colours the themes are the same.
			const options = theme === job.themes[0] ? {} : { runOnly: ofTheme };
			for (const one of await serious(page, theme, options)) found.axe.push(`${where}: ${one}`);
		}
		if (shots) await page.screenshot({ path: `${shots}/${where.replace(/[^a-z0-9]+/gi, "-")}.png` });
	}
}

/** visit looks at one route: itself, its tabs, and the forms that it opens. */
async function visit(page, job, route) {
	if (route.bare || job.outside) {
		await page.goto(route.path);
		await page.getByRole("heading").first().waitFor();
		await rest(page);
	} else await follow(page, route.path);
	job.outside = route.bare;
	const here = page.url().slice(job.base.length);
	if (job.seen.has(here)) return; // an address of an older version leads to it
	job.seen.add(here);
	if (job.kind === "navigation" && (await page.locator("#nav").count()) > 0)
		await addEntries(page, job.language, hasDrawer(job.sizes[0]));
	await look(page, job, here);
	await tabs(page, job, '[role="tablist"] >> nth=0');
}

/** tabs are those of a list, and those inside of each. */
async function tabs(page, job, list) {
	const all = await page.locator(list).locator('[role="tab"]').count();
	for (let n = 0; n < all; n++) {
		if (n > 0) {
			await page
				.locator(list)
				.locator('[role="tab"]')
				.nth(n)
				.evaluate((e) => e.click());
			await rest(page);
			await look(page, job, page.url().slice(job.base.length));
		}
		if (list.endsWith("=0") && (await page.locator('[role="tablist"]').count()) > 1)
			await tabs(page, job, '[role="tablist"] >> nth=1');
		await opened(page, job);
	}
	if (all === 0) await opened(page, job);
}

/** opened are the forms that an address opens over a page: for a new object, and for one that is there. */
async function opened(page, job) {
	if (extent === "gate") return;
	const here = page.url();
	for (const search of [{ do: "create" }, { do: "edit", id: uuid(1) }, { do: "delete", id: uuid(1) }]) {
		const url = new URL(here);
		for (const [key, value] of Object.entries(search)) url.searchParams.set(key, value);
		const href = url.pathname + url.search;
		const key = `${job.kind === "errors"} ${href}`;
		if (forms.get(key) === false) continue;
		await follow(page, href);
		// Its code may still be on its way; what once had none is not asked again.
		const shown = await page
			.locator('[role="dialog"]')
			.waitFor({ timeout: forms.has(key) ? 5_000 : 1_000 })
			.then(() => rest(page).then(() => true))
			.catch(() => false);
		forms.set(key, shown);
		if (shown) await look(page, job, href);
	}
	await follow(page, here.slice(job.base.length));
}

async function work(job, stages, all) {
	job.base = stages[job.kind].base;
	Object.assign(job, { seen: new Set(), outside: true });
	const page = await open({ size: job.sizes[0], locale: languages[job.language], baseURL: job.base });
	const routes = all.filter(({ path }, n) => job.takes(n) && (!only || only.test(path)));
	for (const route of routes) await visit(page, job, route);
	await page.context().close();
}

/** control plants faults into a page and answers how often each kind is found; the page without them has none of these. */
async function control(base) {
	const page = await open({ baseURL: base, size: sizes[0] });
	await page.goto("/users");
	await page.getByRole("heading", { level: 1 }).waitFor();
	await rest(page);
	const planted = async () => {
		const result = { ...(await page.evaluate(measure)), axe: await serious(page, "light") };
		return Object.fromEntries(
			Object.entries(result).map(([what, all]) => [
				what,
				what === "axe" || what === "sideways" ? all.length : all.filter((one) => one.includes("planted")).length,
			]),
		);
	};
	const before = { ...(await planted()), broken: 0 };
	await page.evaluate(plant);
	// biome-ignore lint/suspicious/noConsole: the fault is to be in the console
	await page.evaluate(() => console.error(new TypeError("planted")));
	const after = { ...(await planted()), broken: broken().filter((line) => line.includes("planted")).length };
	await page.evaluate(unplant);
	await page.context().close();
	return { before, after };
}

await scenario(async () => {
	if (shots) mkdirSync(shots, { recursive: true });
	const stages = Object.fromEntries(
		await Promise.all(Object.keys(kinds).map(async (kind) => [kind, await stage(kind)])),
	);
	const rest = jobs().filter((job) => !process.env.JOBS || new RegExp(process.env.JOBS).test(nameOf(job)));
	const all = await routesOf(stages.rows.base);
	const worker = async () => {
		for (let job = rest.shift(); job; job = rest.shift()) {
			const began = Date.now();
			const before = looks;
			await work(job, stages, all);
			if (extent !== "gate") note(`${nameOf(job)}: ${looks - before} looks, ${(Date.now() - began) / 1000} s`);
		}
	};
	await Promise.all([worker(), worker()]);
	const result = { ...found, broken: broken(), looks, audits, pages: [...visited].sort() };
	result.control = await control(stages.rows.base);
	for (const one of Object.values(stages)) one.close();
	return result;
}, found);
