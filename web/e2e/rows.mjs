// rows.mjs opens the users and the audit log with 100,000 rows each, and scrolls.
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { calmest, median } from "./lib/figures.mjs";
import { quiet } from "./lib/quiet.mjs";
import { goTo, signIn } from "./lib/steps.mjs";

const rounds = 3;
const screens = 20;
const lists = {
	users: { to: "/users", row: "main tbody tr[data-index] td", other: "/audit" },
	audit: { to: "/audit", row: "main ol li .gw-audit-subject", other: "/users" },
};

/** firstRows is the time from a click in the navigation to the frame with the first row's words. */
async function firstRows([to, row]) {
	const began = performance.now();
	document.querySelector(`#nav a[href="${to}"]`).click();
	const shown = () => {
		const cell = document.querySelector(row);
		return cell?.textContent.trim() && !cell.querySelector(".pf-v6-c-skeleton");
	};
	while (!shown()) {
		if (performance.now() - began > 30_000) throw new Error(`${to} shows no row`);
		await new Promise(requestAnimationFrame);
	}
	await new Promise(requestAnimationFrame);
	return performance.now() - began;
}

/** scroll goes down so many screens, an eighth of one each frame, and answers how long each frame took; it may be held up on purpose. */
async function scroll([screens, hold]) {
	const main = document.getElementById("main");
	const step = main.clientHeight / 8;
	const frames = [];
	let before = await new Promise(requestAnimationFrame);
	for (let n = 0; n < screens * 8; n++) {
		main.scrollBy({ top: step, behavior: "instant" });
		const held = performance.now() + (n === 10 ? hold : 0);
		while (performance.now() < held);
		const now = await new Promise(requestAnimationFrame);
		frames.push(now - before);
		before = now;
	}
	return { frames, top: main.scrollTop, wanted: screens * main.clientHeight };
}

/** round opens a list in a new document, where nothing of it is known yet, and scrolls. */
async function round(page, { to, row, other }) {
	await goTo(page, other);
	const first = await page.evaluate(firstRows, [to, row]);
	await quiet(page);
	const { frames, top, wanted } = await page.evaluate(scroll, [screens, 0]);
	if (top < wanted * 0.9) throw new Error(`${to}: scrolled ${top} of ${wanted} px only`);
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
