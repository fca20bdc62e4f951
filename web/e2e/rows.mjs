// rows.mjs opens the users and the audit log with 100,000 rows each, and scrolls.
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { calmest, median } from "./lib/figures.mjs";
import { appears, scroll, scrolled } from "./lib/lists.mjs";
import { quiet } from "./lib/quiet.mjs";
import { goTo, signIn } from "./lib/steps.mjs";

const rounds = 3;
const screens = 20;
const lists = {
	users: { to: "/users", row: "main tbody tr[data-index] td:not(:has(input))", other: "/audit" },
	audit: { to: "/audit", row: "main ol li .gw-audit-subject", other: "/users" },
};

/** round opens a list in a new document, where nothing of it is known yet, and scrolls. */
async function round(page, { to, row, other }) {
	await goTo(page, other);
	const began = await page.evaluate((to) => {
		const now = performance.now();
		document.querySelector(`#nav a[href="${to}"]`).click();
		return now;
	}, to);
	const first = await page.evaluate(appears, [row, began]);
	await quiet(page);
	const frames = await scrolled(page, screens);
	await quiet(page);
	const rowsAtEnd = await page.locator(row).count();
	if (rowsAtEnd === 0) throw new Error(`${to}: no rows after scrolling`);
	return { first, frames, rowsAtEnd };
}

/** measure takes the figures of one list. */
async function measure(page, list) {
	const taken = await calmest(rounds, list.to, () => round(page, list));
	const firsts = taken.map(({ first }) => first);
	const worsts = taken.map(({ frames }) => Math.max(...frames));
	return {
		first: Math.max(...firsts),
		worst: Math.max(...worsts),
		firsts,
		worsts,
		frame: median(taken.flatMap(({ frames }) => frames)),
		rowsAtEnd: taken[0].rowsAtEnd,
	};
}

await scenario(async () => {
	const { admin } = await ask("accounts");
	const page = await open();
	await signIn(page, admin);
	const out = {};
	for (const [name, list] of Object.entries(lists)) out[name] = await measure(page, list);
	// The far end is one jump away where a list knows its length.
	await goTo(page, "/users");
	const began = Date.now();
	await page.evaluate(() => document.getElementById("main").scrollTo({ top: 1e9 }));
	await page
		.locator(`tbody tr[aria-rowindex="${(await ask("sql", { query: "select count(id) + 1 from users" })) ?? 0}"]`)
		.waitFor();
	await quiet(page);
	out.jump = Date.now() - began;
	await goTo(page, "/users");
	out.control = Math.max(...(await page.evaluate(scroll, [2, 150])).frames);
	return out;
});
