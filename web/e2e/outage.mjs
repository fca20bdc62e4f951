// outage.mjs keeps pages open while PostgreSQL stops, the API restarts and a new build
// is installed. Nobody reloads anything, and what was typed stays.
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { confirm, field, goTo, heading, press, settled, signIn } from "./lib/steps.mjs";

const typed = { email: "typed-meanwhile@example.com", password: "Cobalt-Meadow-17" };
const out = { steps: [], unseen: [] };

/** timed notes how long a step took, in milliseconds. */
async function timed(name, step) {
	const began = Date.now();
	await step();
	out.steps.push(`${name} ${Date.now() - began} ms`);
	return Date.now() - began;
}

/** keeps says whether the form still holds all that was typed. */
async function keeps(page, when) {
	const dialog = page.getByRole("dialog");
	const email = await field(dialog, "E-mail").inputValue();
	const password = await dialog.locator('input[name="password"]').inputValue();
	const role = await field(dialog, "Role").inputValue();
	if (email !== typed.email || password !== typed.password || role !== "viewer")
		throw new Error(`${when} the form holds ${email}, ${role}, ${password.length} letters of the password`);
}

async function type(page) {
	await goTo(page, "/users");
	await press(page, "Create user");
	const dialog = page.getByRole("dialog");
	await field(dialog, "E-mail").fill(typed.email);
	await field(dialog, "Role").selectOption("viewer");
	await dialog.locator('input[name="password"]').fill(typed.password);
}

// Not by its role: what is behind a dialog has none as long as that is open.
const banner = (page, words) => page.locator(".gw-banners").getByText(words).first();
const away = { database: "The gateway’s database is not responding", api: "The gateway is not responding" };

/** marked pages are still the same document as long as the mark is there. */
const mark = (page) => page.evaluate(() => Object.assign(window, { __same: true }) && undefined);
const same = (page) => page.evaluate(() => window.__same === true);

/** goesAway takes something away and brings it back under an open page that nobody touches. */
async function goesAway(page, what, stop, start) {
	await ask(stop);
	const told = banner(page, away[what]);
	try {
		out[`${what}Banner`] = await timed(`${what}: banner`, () => told.waitFor({ timeout: 50_000 }));
	} catch {
		// Not told by itself; then when somebody acts, so that the rest of the story can be told.
		out.unseen.push(what);
		await press(page.getByRole("dialog"), "Create");
		await timed(`${what}: banner after a click`, () => told.waitFor({ timeout: 30_000 }));
	}
	await keeps(page, `while the ${what} is away`);
	await ask(start);
	out[`${what}Back`] = await timed(`${what}: recovered`, () => told.waitFor({ state: "detached", timeout: 40_000 }));
	await keeps(page, `after the ${what} came back`);
	if (!(await same(page))) throw new Error(`the page was loaded anew when the ${what} came back`);
}

const script = (page) => page.evaluate(() => document.querySelector("script[src]").src);

/** next clicks its way to another page, and tells how often a document was loaded for it. */
async function next(page, old) {
	let loads = 0;
	page.on("load", () => loads++);
	await timed("next page", async () => {
		await page.locator('#nav a[href="/audit"]').click();
		await heading(page, "Audit log").waitFor();
		await settled(page);
	});
	await later(1_000);
	return { loads, renewed: (await script(page)) !== old };
}

/** keepInTheDark answers an open page what the node said before, until the page is loaded anew. */
async function keepInTheDark(page) {
	const url = "**/api/v1/system/health";
	const json = await page.evaluate(() => fetch("/api/v1/system/health").then((r) => r.json()));
	await page.route(url, (route) => route.fulfill({ json }));
	page.once("framenavigated", () => void page.unroute(url).catch(() => {}));
}

await scenario(async () => {
	const { admin } = await ask("accounts");
	const page = await open();
	await signIn(page, admin);
	await type(page);
	await mark(page);
	await goesAway(page, "database", "stop-postgres", "start-postgres");
	await goesAway(page, "api", "stop-api", "start-api");

	// A restart is quick, and may go unseen; nothing may be lost by it.
	await ask("restart-api");
	await keeps(page, "after a restart of the API");

	// Beside the form, a page that only looks, from the build before.
	const looking = await open({ storageState: await page.context().storageState() });
	await goTo(looking, "/users");
	const old = await script(looking);
	const stale = await open({ storageState: await page.context().storageState() });
	await goTo(stale, "/users");
	await keepInTheDark(stale);
	await ask("upgrade");
	out.outdatedBanner = await timed("upgrade: banner", () =>
		banner(page, "The gateway was updated").waitFor({ timeout: 90_000 }),
	);
	await keeps(page, "after the upgrade");
	if (!(await same(page))) throw new Error("the upgrade loaded the page with the form anew");
	const dialog = page.getByRole("dialog", { name: "Create user" });
	await press(dialog, "Create");
	await confirm(page, admin.password);
	await dialog.waitFor({ state: "detached" });
	out.saved = (await ask("sql", { query: `select count(id) from users where email = '${typed.email}'` })) === "1";

	// A page of the build before takes its next step with the new one, by itself.
	Object.assign(out, await next(looking, old));
	// One that does not know of the upgrade yet finds the next page's code gone, and loads anew, once.
	const { loads, renewed } = await next(stale, old);
	return { ...out, staleLoads: loads, staleHealed: renewed };
}, out);
