// xss.mjs puts a corpus of scripts wherever text comes from: what operators type, what
// strangers send, what services say. Every page shows it; none of it may run.
import { open, scenario } from "./lib/browser.mjs";
import { corpus } from "./lib/corpus.mjs";
import { ask, atGate, later, note, shareOf } from "./lib/driver.mjs";
import { elementOf, lookFor, walkAll } from "./lib/explore.mjs";
import { fakeSetup, poison, refuseChanges } from "./lib/fakes.mjs";
import { quiet } from "./lib/quiet.mjs";
import { busy, field, goTo, pagesOf, press, settled, setUp, signIn } from "./lib/steps.mjs";
import { nothing } from "./lib/watch.mjs";

/** shown counts the payloads that stand on the page as text. */
const shown = (corpus) => corpus.filter((text) => document.body.textContent.includes(text.trim())).length;

/** links are those that a click would run. */
const links = () =>
	[...document.querySelectorAll("[href], [src], [action]")]
		.map((e) => (e.getAttribute("href") ?? e.getAttribute("src") ?? e.getAttribute("action")).trim().toLowerCase())
		.filter((url) => /^(javascript|data:text|vbscript)/.test(url));

const result = { places: 0, spoilt: 0, fields: [], shown: 0, links: [], markup: [], missed: [] };

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

// A form may be made of what the node says, and then its names are payloads: other ones at each visit.
const longestFirst = [...corpus].sort((a, b) => b.length - a.length);
const blank = (text) => longestFirst.reduce((rest, payload) => rest.replaceAll(payload, "…"), text);

/** fieldsOf are the text fields that can be typed into now, by their page and their name; those without one are counted. */
async function fieldsOf(page) {
	const path = new URL(page.url()).pathname;
	const counts = {};
	return (await lookFor(page, texts)).items.map(({ index, field }) => {
		const name = blank(field);
		if (name !== field) counts[name] = (counts[name] ?? 0) + 1;
		return { index, key: [path, name, counts[name]].filter(Boolean).join(" ") };
	});
}

/** type fills a field and tells what was in it before; one that is drawn anew meanwhile is looked for again. */
async function type(page, key, text) {
	for (let tries = 2; ; tries--) {
		const found = (await fieldsOf(page)).find((one) => one.key === key);
		if (!found) return undefined;
		try {
			const input = await elementOf(page, found.index);
			const before = await input.inputValue();
			await input.fill(text, { timeout: 5_000 });
			return before;
		} catch (error) {
			if (tries === 0) throw error;
		}
	}
}

/**
 * Fields is every text field that was met. What an address brings back is typed into and sent there. What only presses
 * lead to is typed into where it was met, and left as it was, so that the walk goes on.
 */
class Fields {
	met = new Map();
	typed = new Set();
	sent = new Set();

	/** meet notes the fields of a sight, whose name tells the presses that led to it. */
	async meet(page, name) {
		// What stands there only while a list is on its way is met nowhere again.
		await page.waitForFunction((busy) => !document.querySelector(busy), busy, { timeout: 2_000 }).catch(() => {});
		const keys = (await fieldsOf(page)).map(({ key }) => key);
		for (const key of keys)
			if (!this.met.has(key)) this.met.set(key, { url: page.url(), isPressed: name.includes(" > ") });
		for (const key of keys)
			if (this.met.get(key).isPressed && !this.typed.has(key)) await this.typeHere(page, key, name);
	}

	payload = () => corpus[(this.typed.size * 7 + 3) % corpus.length];

	/** typeHere types into one field and puts back what was there. */
	async typeHere(page, key, name) {
		try {
			const before = await type(page, key, this.payload());
			if (before === undefined) return;
			this.typed.add(key);
			await quiet(page);
			await inspect(page, `${name}, typed into ${key}`);
			await type(page, key, before);
			await quiet(page);
		} catch (error) {
			note(`${name}: ${key}: ${error}`);
		}
	}

	/** typeAll types a payload into every field on the page, and sends each. */
	async typeAll(page, name) {
		const tried = new Set(this.sent);
		const next = async () => (await fieldsOf(page)).find(({ key }) => !tried.has(key))?.key;
		for (let key = await next(); key; key = await next()) {
			tried.add(key);
			if ((await type(page, key, this.payload())) === undefined) continue;
			this.typed.add(key);
			this.sent.add(key);
			await page.keyboard.press("Enter");
			await quiet(page);
			await inspect(page, `${name}, typed into ${key}`);
		}
	}

	/** shows tells whether a field comes, for as long as its form may take; what was typed into before may stay away. */
	async shows(page, key) {
		const end = Date.now() + (this.typed.has(key) ? 2_000 : 20_000);
		for (;;) {
			if ((await fieldsOf(page)).some((one) => one.key === key)) return true;
			if (Date.now() > end) return false;
			await later(100);
		}
	}

	async revisit(page) {
		for (const [key, { url }] of [...this.met]) {
			if (this.sent.has(key)) continue;
			await goTo(page, url);
			// Dialogs have an address; the palette opens by its keys.
			if (!url.includes("do=") && !(await fieldsOf(page)).some((one) => one.key === key))
				await page.keyboard.press("Control+K");
			if (await this.shows(page, key)) await this.typeAll(page, url);
		}
	}
}

/** visitor types into what there is before somebody is signed in; the setup is over on this node, and played. */
async function visitor(fields, account) {
	const before = await open();
	await refuseChanges(before.context());
	for (const path of ["/sign-in", "/reset-password"]) {
		await goTo(before, path);
		await fields.meet(before, path);
		await fields.typeAll(before, path);
	}
	await before.context().close();
	const page = await open();
	await fakeSetup(page);
	await goTo(page, "/setup");
	// It ends with a sign-in, so it has to be an account that there is.
	await setUp(page, { code: "AAAA-AAAA-AAAA", fqdn: "gw1.example.com", ...account }, async (step) => {
		const more = page.getByRole("button", { name: "Use another certificate authority" });
		if (await more.isVisible()) await more.click();
		await fields.meet(page, `/setup > ${step}`);
	});
	await page.context().close();
}

/** control shows that the corpus runs where nobody takes care, and that running and asking are noticed. */
async function control() {
	const list = nothing();
	const page = await open({ list });
	await page.route("**/careless", (route) => route.fulfill({ contentType: "text/html", body: "<body>" }));
	const careless = async (payload) => {
		await page.goto("/careless");
		await page.evaluate((html) => {
			document.body.innerHTML = html;
		}, payload);
		await later(50);
	};
	/** Some lead away from here, and on a busy machine while the next one is on its way: then again, when that is over. */
	const shownAt = async (payload, tries) => {
		try {
			await careless(payload);
		} catch (error) {
			if (tries === 0) throw error;
			await later(200);
			await shownAt(payload, tries - 1);
		}
	};
	for (const payload of corpus) await shownAt(payload, 20);
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
	const addresses = shareOf(paths, 1, 3).flatMap((path) => [
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
		await poison(window.context(), corpus, (texts) => {
			result.spoilt += texts;
		});
	}
	const fields = new Fields();
	const onState = (page) => async (name) => {
		await inspect(page, name);
		await fields.meet(page, name);
	};
	const extent = atGate ? { deepest: 0, most: 4 } : { deepest: 2, most: 14 };
	// axe.mjs walks over other ones.
	const pressed = await walkAll(windows, shareOf(paths, 0, 3), (page) => ({ onState: onState(page), ...extent }));
	await Promise.all([fields.revisit(page), visitor(fields, viewer)]);
	result.fields = [...fields.typed].sort();
	result.missed = [...fields.met.keys()].filter((key) => !fields.typed.has(key));
	return { ...result, payloads: corpus.length, pressed, ...(await control()) };
}, result);
