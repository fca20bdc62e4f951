// firewall_lists.mjs opens 10,000 rules and 100,000 addresses, scrolls, and searches.
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { calmest, median } from "./lib/figures.mjs";
import { appears, scrolled, watched } from "./lib/lists.mjs";
import { quiet } from "./lib/quiet.mjs";
import { goTo, signIn } from "./lib/steps.mjs";

const rounds = 3;
const screens = 20;
const lists = {
	rules: {
		at: "/firewall",
		row: "main ol.gw-ordered-list li .gw-ordered-title",
		label: "Search names, comments and labels",
	},
	objects: {
		at: "/objects?tab=addresses",
		row: "main tbody tr[data-index] td:not(:has(input))",
		label: "Search names and addresses",
	},
};

/** round loads the page as a new document, and does what a person does there. */
async function round(page, { at, row, label }, word) {
	await page.goto("about:blank");
	await page.goto(at, { waitUntil: "commit" });
	const paint = await page.evaluate(appears, [row, 0]);
	await quiet(page);
	const scrolling = await scrolled(page, screens);
	await quiet(page);
	const searching = await watched(page, async () => {
		await page.getByLabel(label).pressSequentially(word, { delay: 60 });
		await page.locator(row).filter({ hasText: word }).first().waitFor();
		await quiet(page);
	});
	const found = await page.locator(row).allTextContents();
	return { paint, scrolling, searching, found: found[0] };
}

async function measure(page, list, word) {
	const taken = await calmest(rounds, list.at, () => round(page, list, word));
	const longest = (of) => Math.max(...taken.flatMap((one) => one[of]));
	return {
		paint: Math.max(...taken.map(({ paint }) => paint)),
		scroll: longest("scrolling"),
		search: longest("searching"),
		frame: median(taken.flatMap(({ scrolling }) => scrolling)),
		frames: taken.reduce((n, { searching }) => n + searching.length, 0),
		found: taken[0].found,
	};
}

await scenario(async () => {
	const { admin } = await ask("accounts");
	const { words } = await ask("words");
	const page = await open();
	await signIn(page, admin);
	const out = {};
	for (const [name, list] of Object.entries(lists)) out[name] = await measure(page, list, words[name]);
	// The control: a page that is held up while somebody types shows it.
	await goTo(page, lists.rules.at);
	const held = await watched(page, async () => {
		await page.evaluate(() => {
			const end = performance.now() + 150;
			while (performance.now() < end);
		});
		await quiet(page);
	});
	out.control = Math.max(...held);
	return out;
});
