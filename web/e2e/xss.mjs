// xss.mjs puts a corpus of scripts wherever text comes from: what operators type, what
// strangers send, what services say. Every page shows it; none of it may run.
import { open, scenario } from "./lib/browser.mjs";
import { corpus } from "./lib/corpus.mjs";
import { ask, later } from "./lib/driver.mjs";
import { walkAll } from "./lib/explore.mjs";
import { api, fakeSetup, poison, refuseChanges } from "./lib/fakes.mjs";
import { quiet } from "./lib/quiet.mjs";
import { field, goTo, pagesOf, press, settled, setUp, signIn } from "./lib/steps.mjs";
import { nothing } from "./lib/watch.mjs";

/** shown counts the payloads that stand on the page as text. */
const shown = (corpus) => corpus.filter((text) => document.body.textContent.includes(text.trim())).length;

/** links are those that a click would run. */
const links = () =>
	[...document.querySelectorAll("[href], [src], [action]")]
		.map((e) => (e.getAttribute("href") ?? e.getAttribute("src") ?? e.getAttribute("action")).trim().toLowerCase())
		.filter((url) => /^(javascript|data:text|vbscript)/.test(url));

const result = { places: 0, typed: 0, shown: 0, links: [], markup: [], missed: [] };

async function inspect(page, name) {
	result.places++;
	result.shown += await page.evaluate(shown, corpus);
	result.links.push(...(await page.evaluate(links)).map((url) => `${name}: ${url}`));
	const strange =
		"main script, main iframe, main base, main style, main meta, main [onerror], main [onload], main [onfocus]";
	const count = await page.locator(strange).count();
	if (count > 0) result.markup.push(`${name}: ${count} elements of a payload`);
}

const texts =
	'input:is([type="text"], [type="search"], [type="email"], [type="url"], [type="password"], :not([type])), textarea';

/** fieldsOf are the text fields that can be seen, by their page and their name. */
const fieldsOf = (page) =>
	page
		.locator(texts)
		.evaluateAll((all) =>
			all
				.filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.disabled && !e.readOnly)
				.map((e) => `${location.pathname} ${e.name || e.ariaLabel || e.labels?.[0]?.textContent || e.placeholder}`),
		);

/** Fields is every text field that was met; each is typed into where it was met first. */
class Fields {
	met = new Map();
	typed = new Set();

	async meet(page) {
		for (const key of await fieldsOf(page)) if (!this.met.has(key)) this.met.set(key, page.url());
	}

	/** typeAll types a payload into every field on the page. */
	async typeAll(page, name, andSend = true) {
		for (let n = 0; n < (await fieldsOf(page)).length; n++) {
			const key = (await fieldsOf(page))[n];
			if (this.typed.has(key)) continue;
			const input = page.locator(texts).locator("visible=true").and(page.locator(":enabled:not([readonly])")).nth(n);
			await input.fill(corpus[(this.typed.size * 7 + 3) % corpus.length], { timeout: 2_000 });
			this.typed.add(key);
			if (andSend) await input.press("Enter").catch(() => {});
			await quiet(page);
			await inspect(page, `${name}, typed into ${key}`);
		}
	}

	async revisit(page) {
		for (const [key, url] of this.met) {
			if (this.typed.has(key)) continue;
			await goTo(page, url);
			// Dialogs have an address; the palette opens by its keys.
			if (!url.includes("do=") && !(await fieldsOf(page)).includes(key)) await page.keyboard.press("Control+K");
			if (!(await fieldsOf(page)).includes(key)) await page.getByRole("dialog").waitFor();
			await this.typeAll(page, url);
		}
	}
}

/** visitor types into what there is before somebody is signed in; the setup is over on this node, and played. */
async function visitor(fields, account) {
	const page = await open();
	await refuseChanges(page.context());
	for (const path of ["/sign-in", "/reset-password"]) {
		await goTo(page, path);
		await fields.meet(page);
		await fields.typeAll(page, path);
	}
	await page.context().unroute(api);
	await fakeSetup(page);
	await goTo(page, "/setup");
	// It ends with a sign-in, so it has to be an account that there is.
	await setUp(page, { code: "AAAA-AAAA-AAAA", fqdn: "gw1.example.com", ...account }, async (step) => {
		const more = page.getByRole("button", { name: "Use another certificate authority" });
		if (await more.isVisible()) await more.click();
		await fields.meet(page);
		const inputs = await page.locator(texts).locator("visible=true").all();
		const before = await Promise.all(inputs.map((input) => input.inputValue()));
		await fields.typeAll(page, step, false);
		for (const [n, input] of inputs.entries()) await input.fill(before[n]);
	});
	await page.context().close();
}

/** control shows that the corpus runs where nobody takes care, and that running and asking are noticed. */
async function control() {
	const list = nothing();
	const page = await open({ list });
	await page.route("**/careless", (route) => route.fulfill({ contentType: "text/html", body: "<body>" }));
	for (const payload of corpus) {
		await page.goto("/careless");
		await page.evaluate((html) => {
			document.body.innerHTML = html;
		}, payload);
		await later(50); // some lead away from here
	}
	await page.context().close();
	return { control: list.xss.length, asked: list.foreign.length };
}

await scenario(async () => {
	const { admin, viewer } = await ask("accounts");
	await ask("plant", { corpus });
	const page = await open({ userAgent: corpus[3] });
	for (const email of corpus.slice(0, 3)) {
		// A failed sign-in puts what was typed into the audit log.
		await goTo(page, "/sign-in");
		await field(page, "E-mail").fill(email);
		await page.locator('input[name="password"]').fill("wrong");
		await press(page, "Sign in");
		await page.getByText("E-mail or password is wrong").waitFor();
		await inspect(page, "sign-in refused");
	}
	for (const next of [corpus[13], "//xss-probe.invalid/", "data:text/html,x", corpus[0]])
		await goTo(page, `/sign-in?next=${encodeURIComponent(next)}`);
	await signIn(page, admin);
	const paths = await pagesOf(page);
	const addresses = paths.flatMap((path) => [
		`${path}?q=${encodeURIComponent(corpus[3])}&tab=${encodeURIComponent(corpus[0])}&do=create&id=${encodeURIComponent(corpus[6])}`,
	]);
	for (const address of [
		...addresses,
		`/${encodeURIComponent(corpus[3])}`,
		`/audit?actor=${encodeURIComponent(corpus[3])}&subject=${encodeURIComponent(corpus[0])}`,
	]) {
		await page.goto(address);
		await settled(page);
		await inspect(page, address);
	}
	// Stored for real, through the form that a person uses.
	result.stored = await ask("store", { corpus });

	const windows = [page, await open({ storageState: await page.context().storageState() })];
	for (const window of windows) {
		await refuseChanges(window.context());
		await poison(window.context(), corpus);
	}
	const fields = new Fields();
	const onState = (page) => async (name) => {
		await inspect(page, name);
		await fields.meet(page);
	};
	const pressed = await walkAll(windows, paths, (page) => ({ onState: onState(page), deepest: 2, most: 14 }));
	await Promise.all([fields.revisit(page), visitor(fields, viewer)]);
	result.typed = fields.typed.size;
	result.missed = [...fields.met.keys()].filter((key) => !fields.typed.has(key));
	return { ...result, payloads: corpus.length, pressed, ...(await control()) };
}, result);
