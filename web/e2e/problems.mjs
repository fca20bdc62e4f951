// problems.mjs looks at the dashboard, the indicator, lists and pages while the test breaks
// one thing after the other, and mends it. What is true the test says, who measures that
// without them; here it is seen who tells it, and how soon.
import { open, scenario } from "./lib/browser.mjs";
import { ask, later, note } from "./lib/driver.mjs";
import { follow } from "./lib/quiet.mjs";
import { goTo, settled, signIn } from "./lib/steps.mjs";

const out = { states: 0, judged: 0, wrong: [], shown: 0, gone: 0, lies: 0, found: 0, missed: [] };
const patience = 20_000;
/** soon is enough for a page to say what it says anyway. */
const soon = 700;

const listed = (page, { problem, sign }) => {
	// A code, or with its subject all that tells one problem from the others.
	const ids = sign
		? [`^="${sign}"`]
		: problem.split("|").map((one) => (one.includes(" ") ? `="${one}"` : `^="${one} "`));
	return page.locator(ids.map((id) => `.gw-dashboard [data-problem${id}]`).join(", ")).first();
};

/** spot is where a list or a page has the word. */
function spot(page, { row }, word) {
	const scope = row ? page.locator("tr", { hasText: row }).first() : page.locator("#main");
	const label = scope.locator(".gw-status", { hasText: new RegExp(`^(${word})$`) });
	return label.or(scope.locator(".pf-v6-c-alert", { hasText: new RegExp(word) })).first();
}

const isThere = (locator, timeout) => locator.waitFor({ timeout });
const isAway = (locator, timeout) => locator.waitFor({ state: "detached", timeout });

/** looks are what has to be seen of a state while it lasts, or once it is over. */
function looks({ dashboard, tabs }, one, lasts, limit) {
	const at = [];
	if (one.problem) at.push(["the dashboard", (lasts ? isThere : isAway)(listed(dashboard, one), limit)]);
	for (const [i, place] of one.places.entries()) {
		const { path, word, well } = place;
		const see = lasts || !well ? spot(tabs[i], place, word) : spot(tabs[i], place, well);
		at.push([`${path} ${place.row ?? ""}`, (lasts || well ? isThere : isAway)(see, limit)]);
	}
	return at;
}

/** see waits for all of them at once, and tells how long the last one took. */
async function see(at) {
	const began = Date.now();
	const seen = await Promise.all(
		at.map(([who, look]) =>
			look.then(
				() => ({ took: Date.now() - began }),
				() => ({ took: patience, who }),
			),
		),
	);
	return { took: Math.max(0, ...seen.map(({ took }) => took)), wrong: seen.flatMap(({ who }) => who ?? []) };
}

/** judge asks everybody whether a state lasts. */
async function judge(eyes, one, lasts, { limit = patience, heard = patience } = {}) {
	const at = looks(eyes, one, lasts, limit);
	const { took, wrong } = await see(at);
	const told = await ask("hear", { name: one.name, lasts, limit: heard });
	const words = lasts ? "does not show it" : "does not show that it is over";
	return {
		took,
		asked: at.length + told.asked,
		wrong: [...wrong.map((who) => `${who} ${words}`), ...told.wrong],
	};
}

const badge = async (page) => {
	const count = page.locator(".gw-problems-button .gw-count");
	return (await count.count()) === 0 ? 0 : Number(await count.textContent());
};

/** indicator complains when it counts otherwise than the API; own is what only this browser knows of. */
async function indicator(eyes, one, lasts) {
	if (one.sign && lasts) return (await badge(eyes.dashboard)) > 0 ? [] : ["the indicator counts nothing"];
	let seen;
	let count;
	for (const end = Date.now() + patience; Date.now() < end; await later(100)) {
		count = await ask("count");
		seen = await badge(eyes.dashboard);
		if (seen === count + eyes.own) return [];
	}
	return [`the indicator counts ${seen}, the API ${count} and the browser ${eyes.own}`];
}

/** visit opens the pages that tell of a state. */
async function visit({ dashboard, tabs }, { places }) {
	while (tabs.length < places.length) {
		tabs.push(await dashboard.context().newPage());
		follow(tabs.at(-1));
	}
	const away = places.map(({ path }, i) => [tabs[i], path]).filter(([tab, path]) => !tab.url().endsWith(path));
	// Once more on a machine that is too busy to open a page.
	await Promise.all(away.map(([tab, path]) => goTo(tab, path).catch(() => goTo(tab, path))));
}

/** live goes through one state. */
async function live(eyes, one, control) {
	const complaints = [];
	await visit(eyes, one);
	one.caused = true;
	await ask("turn", { name: one.name, lasts: true });
	const shown = await judge(eyes, one, true);
	const counted = await indicator(eyes, one, true);
	await control?.(eyes, one);
	one.caused = false;
	await ask("turn", { name: one.name, lasts: false });
	const gone = await judge(eyes, one, false);
	complaints.push(...shown.wrong, ...counted, ...gone.wrong, ...(await indicator(eyes, one, false)));
	out.states++;
	out.judged += shown.asked + gone.asked + 2;
	out.wrong.push(...complaints.map((what) => `${one.name}: ${what}`));
	out.shown = Math.max(out.shown, shown.took);
	out.gone = Math.max(out.gone, gone.took);
	note(`${one.name}: shown ${shown.took} ms, gone ${gone.took} ms; ${complaints.join("; ")}`);
}

/** lie has somebody judge what is not so: whoever is asked has to contradict. */
async function lie(what, eyes, one, lasts) {
	const { asked, wrong } = await judge(eyes, one, lasts, { limit: soon, heard: 0 });
	out.lies += asked;
	out.found += wrong.length;
	if (wrong.length < asked) out.missed.push(`${what}, ${one.name}: only ${wrong.join("; ")}`);
}

/** heldBack opens pages that hear nothing new: no stream, and the first answer for ever. */
async function heldBack(storageState, one) {
	const dashboard = await open({ storageState });
	const context = dashboard.context();
	const answers = new Map();
	await context.routeWebSocket(/\/live/, () => {});
	await context.route(/\/api\/v1\/problems/, async (route) => {
		const url = route.request().url();
		if (!answers.has(url)) answers.set(url, await route.fetch());
		await route.fulfill({ response: answers.get(url) });
	});
	const tabs = [];
	for (const { path } of one.places) {
		tabs.push(await context.newPage());
		await tabs.at(-1).goto(path);
		await spot(tabs.at(-1), one.places[tabs.length - 1], one.places[tabs.length - 1].well).waitFor();
	}
	await dashboard.goto("/");
	await dashboard.locator(".gw-dashboard").waitFor();
	return { dashboard, tabs };
}

/** deceived judges by pages that hear nothing: each of them has to be found out. */
async function deceived(held, one) {
	const { wrong } = await see(looks(held, one, true, soon));
	out.lies += one.places.length + 1;
	out.found += wrong.length;
	if (wrong.length < one.places.length + 1) out.missed.push(`held back, ${one.name}: only ${wrong.join("; ")}`);
	await held.dashboard.context().close();
}

/** lane is a browser of its own for states that come one after the other. */
async function lane(storageState, own) {
	const dashboard = await open({ storageState });
	await goTo(dashboard, "/");
	return { dashboard, tabs: [], own };
}

async function through(eyes, states, control) {
	for (const one of states) {
		try {
			await live(eyes, one, control?.name === one.name ? control.run : undefined);
		} catch (error) {
			out.wrong.push(`${one.name}: ${error.stack ?? error}`);
			note(`${one.name} broke: ${error}`);
			if (one.caused) await ask("turn", { name: one.name, lasts: false }).catch(() => {});
		}
	}
}

/** ownOf is how many problems only the browser knows of. */
const ownOf = async (dashboard) => (await badge(dashboard)) - (await ask("count"));

await scenario(async () => {
	const { admin } = await ask("accounts");
	const { all, lies } = await ask("cases");
	const first = await open();
	await signIn(first, admin);
	await settled(first);
	const storageState = await first.context().storageState();
	const own = await ownOf(first);
	await first.close();
	const names = [...new Set(all.map((one) => one.lane))];
	const lanes = [];
	for (const name of names.slice(0, 2)) lanes.push([await lane(storageState, own), name]);
	const [eyes] = lanes[0];
	for (const one of all.filter(({ name }) => lies.includes(name))) {
		await visit(eyes, one);
		await lie("all is well", eyes, one, true);
	}
	const victim = all.find(({ name }) => name === lies[0]);
	const held = await heldBack(storageState, victim);
	const control = {
		name: victim.name,
		run: async (eyes, one) => {
			await lie("it is broken", eyes, one, false);
			await deceived(held, one);
		},
	};
	const beside = (name) => all.filter((one) => one.lane === name && !one.alone);
	await Promise.all(lanes.map(([eyes, name], i) => through(eyes, beside(name), i === 0 ? control : undefined)));
	await through(
		eyes,
		all.filter(({ alone }) => alone),
	);
	return out;
}, out);
