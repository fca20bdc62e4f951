// problems.mjs looks at the dashboard, the indicator and the lists while the test breaks one
// thing after the other, and mends it.
import { open, scenario } from "./lib/browser.mjs";
import { ask, note } from "./lib/driver.mjs";
import { goTo, settled, signIn } from "./lib/steps.mjs";

const out = { states: 0, wrong: [], shown: 0, gone: 0 };
const patience = 20_000;

const listed = (page, problem) => page.locator(`.gw-dashboard [data-problem^="${problem} "]`).first();

/** timed is how long something took, in milliseconds; undefined for one that never came. */
async function timed(wait) {
	const began = Date.now();
	return wait.then(
		() => Date.now() - began,
		() => undefined,
	);
}

const count = async (page) => {
	const badge = page.locator(".gw-problems-button .gw-count");
	return (await badge.count()) === 0 ? 0 : Number(await badge.textContent());
};

/** rowShows waits until the row of a list has the word of its state. */
const rowShows = (page, { name, word }) =>
	page
		.locator("tr", { hasText: name })
		.first()
		.locator(".gw-status", { hasText: new RegExp(`^(${word})$`) })
		.first()
		.waitFor({ timeout: patience });

async function live(dashboard, list, one) {
	const took = { shown: 0, gone: 0 };
	const complaints = [];
	const complain = (what) => complaints.push(`${one.name}: ${what}`);
	const before = await count(dashboard);
	if (one.row) await goTo(list, one.row.path);
	await ask("cause", { name: one.name });
	if (one.problem) {
		const shown = await timed(listed(dashboard, one.problem).waitFor({ timeout: patience }));
		if (shown === undefined) complain("the dashboard does not show it");
		took.shown = Math.max(took.shown, shown ?? patience);
		if ((await count(dashboard)) < Math.max(1, before)) complain(`the indicator counts ${await count(dashboard)}`);
	}
	if (one.row) {
		const shown = await timed(rowShows(list, one.row));
		if (shown === undefined) complain(`the list does not say ${one.row.word}`);
		took.shown = Math.max(took.shown, shown ?? patience);
	}
	for (const what of await ask("check", { name: one.name })) complain(what);
	await ask("mend", { name: one.name });
	if (one.problem) {
		const gone = await timed(listed(dashboard, one.problem).waitFor({ state: "detached", timeout: patience }));
		if (gone === undefined) complain("the dashboard still shows it");
		took.gone = Math.max(took.gone, gone ?? patience);
	}
	if (one.row) {
		const gone = await timed(rowShows(list, { ...one.row, word: one.row.well }));
		if (gone === undefined) complain(`the list does not say ${one.row.well} again`);
		took.gone = Math.max(took.gone, gone ?? patience);
	}
	for (const what of await ask("over", { name: one.name })) complain(what);
	out.states++;
	out.wrong.push(...complaints);
	out.shown = Math.max(out.shown, took.shown);
	out.gone = Math.max(out.gone, took.gone);
	note(`${one.name}: shown ${took.shown} ms, gone ${took.gone} ms; ${complaints.join("; ")}`);
}

await scenario(async () => {
	const { admin } = await ask("accounts");
	const dashboard = await open();
	await signIn(dashboard, admin);
	await settled(dashboard);
	const list = await open({ storageState: await dashboard.context().storageState() });
	for (const one of await ask("cases")) await live(dashboard, list, one);
	return out;
}, out);
