// problems.mjs looks at the dashboard, the indicator, lists and pages while the test breaks
// one thing after the other, and mends it. What is true the test says, who measures that
// without them; who tells it, and how soon, is seen by lib/judge.mjs.
import { open, scenario } from "./lib/browser.mjs";
import { ask, beside, note } from "./lib/driver.mjs";
import { badge, judge, looks, soon, spot, wrongs } from "./lib/judge.mjs";
import { follow } from "./lib/quiet.mjs";
import { goTo, settled, signIn } from "./lib/steps.mjs";

// shown and gone are the longest times by where it is seen.
const out = { states: 0, judged: 0, wrong: [], shown: {}, gone: {}, lies: 0, found: 0, missed: [] };

const keepLongest = (longest, took) => {
	for (const [where, ms] of Object.entries(took)) longest[where] = Math.max(longest[where] ?? 0, ms);
};

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
	await visit(eyes, one);
	one.caused = true;
	await ask("turn", { name: one.name, lasts: true });
	const shown = await judge(eyes, one, true);
	await control?.(eyes, one);
	one.caused = false;
	await ask("turn", { name: one.name, lasts: false });
	const gone = await judge(eyes, one, false);
	const complaints = [...shown.wrong, ...gone.wrong];
	out.states++;
	out.judged += shown.asked + gone.asked;
	out.wrong.push(...complaints.map((what) => `${one.name}: ${what}`));
	keepLongest(out.shown, shown.took);
	keepLongest(out.gone, gone.took);
	note(`${one.name}: shown ${JSON.stringify(shown.took)}, gone ${JSON.stringify(gone.took)}; ${complaints.join("; ")}`);
}

/** lie has somebody judge what is not so: whoever is asked has to contradict. */
async function lie(what, eyes, one, lasts) {
	const { asked, wrong } = await judge(eyes, one, lasts, { limit: soon, heard: 0, counted: false });
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
	const wrong = await wrongs(looks(held, one, true, soon));
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
const ownOf = async (dashboard) => (await badge(dashboard)) - (await beside("count")).count;

await scenario(async () => {
	const { admin } = await ask("accounts");
	const { all, lies, beside: sideBySide } = await ask("cases");
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
	const ofLane = (name) => all.filter((one) => one.lane === name && !one.alone);
	const ends = [];
	for (const [i, [eyes, name]] of lanes.entries()) {
		ends.push(through(eyes, ofLane(name), i === 0 ? control : undefined));
		if (!sideBySide) await ends.at(-1);
	}
	await Promise.all(ends);
	await through(
		eyes,
		all.filter(({ alone }) => alone),
	);
	return out;
}, out);
