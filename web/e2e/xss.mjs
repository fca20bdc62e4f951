// xss.mjs puts a corpus of scripts wherever text comes from: what operators type, what
// strangers send, what services say. Every page shows it; none of it may run.
import { open, scenario } from "./lib/browser.mjs";
import { corpus } from "./lib/corpus.mjs";
import { ask, later } from "./lib/driver.mjs";
import { Explorer } from "./lib/explore.mjs";
import { poison, refuseChanges } from "./lib/fakes.mjs";
import { field, goTo, pagesOf, press, settled, signIn } from "./lib/steps.mjs";
import { nothing } from "./lib/watch.mjs";

/** shown counts the payloads that stand on the page as text. */
const shown = (corpus) => corpus.filter((text) => document.body.textContent.includes(text.trim())).length;

/** links are those that a click would run. */
const links = () =>
	[...document.querySelectorAll("[href], [src], [action]")]
		.map((e) => (e.getAttribute("href") ?? e.getAttribute("src") ?? e.getAttribute("action")).trim().toLowerCase())
		.filter((url) => /^(javascript|data:text|vbscript)/.test(url));

const result = { places: 0, typed: 0, shown: 0, links: [], markup: [] };

async function inspect(page, name) {
	result.places++;
	result.shown += await page.evaluate(shown, corpus);
	result.links.push(...(await page.evaluate(links)).map((url) => `${name}: ${url}`));
	const strange =
		"main script, main iframe, main base, main style, main meta, main [onerror], main [onload], main [onfocus]";
	const count = await page.locator(strange).count();
	if (count > 0) result.markup.push(`${name}: ${count} elements of a payload`);
}

/** typeEverywhere fills every text field on the page with a payload, and sends what can be sent. */
async function typeEverywhere(page, name, payload) {
	const inputs = page.locator('input:is([type="text"], [type="search"], [type="email"], :not([type])), textarea');
	const count = await inputs.count();
	for (let n = 0; n < count; n++) {
		const input = inputs.nth(n);
		if (!(await input.isVisible()) || !(await input.isEditable())) continue;
		await input.fill(payload, { timeout: 2_000 });
		result.typed++;
		await input.press("Enter").catch(() => {});
		await later(30);
		await inspect(page, `${name}, typed`);
	}
}

/** control shows that the corpus runs where nobody takes care, and that running is noticed. */
async function control() {
	const list = nothing();
	const page = await open({ list });
	await page.goto("about:blank");
	for (const payload of corpus) {
		await page.evaluate((html) => {
			document.body.innerHTML = html;
		}, payload);
	}
	await later(300);
	await page.context().close();
	return list.xss.length;
}

await scenario(async () => {
	const { admin } = await ask("accounts");
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

	await refuseChanges(page.context());
	await poison(page.context(), corpus);
	const explorer = new Explorer(page, { onState: (name) => inspect(page, name), deepest: 2, most: 14 });
	for (const [n, path] of paths.entries()) {
		await explorer.walk(path);
		await goTo(page, path);
		await typeEverywhere(page, path, corpus[(n * 7 + 3) % corpus.length]);
	}
	for (const path of ["/users?do=create", "/account?tab=tokens&do=create"]) {
		await goTo(page, path);
		await page.getByRole("dialog").waitFor();
		await typeEverywhere(page, path, corpus[3]);
	}
	return { ...result, payloads: corpus.length, pressed: explorer.pressed, control: await control() };
});
