// judge.mjs sees who tells of a state, and how soon: lists, pages, the dashboard and the
// indicator in the browser, and by way of the test the API and gateway-ctl. All of them are
// asked at once, from the same moment on.
import { beside, later } from "./driver.mjs";

export const patience = 20_000;
/** soon is enough for a page to say what it says anyway. */
export const soon = 700;

const whole = (word) => new RegExp(`^(${word})$`);

const listed = (page, { problem, sign }) => {
	// A code, perhaps with its subject; the message follows, which tells problems of one subject apart.
	const ids = sign ? [`^="${sign}"`] : problem.split("|").map((one) => `^="${one} "`);
	return page.locator(ids.map((id) => `.gw-dashboard [data-problem${id}]`).join(", ")).first();
};

/** spot is where a list or a page has the word. */
export function spot(page, { row }, word) {
	const scope = row ? page.locator("tr", { hasText: row }).first() : page.locator("#main");
	const label = scope.locator(".gw-status", { hasText: whole(word) });
	return label.or(scope.locator(".pf-v6-c-alert", { hasText: new RegExp(word) })).first();
}

const isThere = (locator, timeout) => locator.waitFor({ timeout });
const isAway = (locator, timeout) => locator.waitFor({ state: "detached", timeout });

/** isTold says that a word has to go when another one comes; where one word is for both, it says nothing. */
const isTold = ({ word, well }) => well && well !== word;

/** praise is where the dashboard would say that all is well, of what is not. */
function praise(page, { problem, places }) {
	const at = problem ? [page.locator(".gw-dashboard .gw-no-problems")] : [];
	for (const place of places.filter(isTold)) {
		const word = { hasText: whole(place.well) };
		// There is one domain, so the card counts no other.
		if (place.path === "/proxy") at.push(page.locator(".gw-dashboard .gw-counts .gw-status", word));
		if (place.path === "/system" && place.row)
			at.push(page.locator(".gw-dashboard .gw-rows li", { hasText: place.row }).locator(".gw-status", word));
	}
	return at;
}

/** onDashboard waits for the problem in its list, and for the cards not to say otherwise. */
function onDashboard(page, one, lasts, limit) {
	const at = one.problem ? [(lasts ? isThere : isAway)(listed(page, one), limit)] : [];
	if (lasts) at.push(...praise(page, one).map((good) => isAway(good.first(), limit)));
	return at.length > 0 ? [["dashboard", "the dashboard", Promise.all(at)]] : [];
}

/** onPage waits for the word, and for the one of better days to be gone. */
function onPage(tab, place, lasts, limit) {
	const { path, row, word, well } = place;
	const look = () => {
		if (!lasts) return well ? isThere(spot(tab, place, well), limit) : isAway(spot(tab, place, word), limit);
		const gone = isTold(place) ? isAway(spot(tab, place, well), limit) : undefined;
		return Promise.all([isThere(spot(tab, place, word), limit), gone]);
	};
	return [row ? "list" : "page", `${path} ${row ?? ""}`, look()];
}

/** looks are what has to be seen of a state while it lasts, or once it is over: where, who, and a promise of it. */
export const looks = ({ dashboard, tabs }, one, lasts, limit) => [
	...onDashboard(dashboard, one, lasts, limit),
	...one.places.map((place, i) => onPage(tabs[i], place, lasts, limit)),
];

/** wrongs are those of looks that are not so. */
export async function wrongs(at) {
	const all = await Promise.allSettled(at.map(([, , look]) => look));
	return at.flatMap(([, who], i) => (all[i].status === "rejected" ? [who] : []));
}

const count = async (page) => {
	const shown = page.locator(".gw-problems-button .gw-count");
	return (await shown.count()) === 0 ? 0 : Number(await shown.textContent());
};

export { count as badge };

/** indicator waits until it counts what the API does, with the state in it; own is what only this browser knows of. */
async function indicator(eyes, one, lasts, limit) {
	let seen;
	let told;
	for (const end = Date.now() + limit; Date.now() < end; await later(50)) {
		seen = await count(eyes.dashboard);
		if (one.sign && lasts) {
			if (seen > 0) return [];
			continue; // there is nobody else to ask
		}
		told = await beside("count", { name: one.name, lasts });
		// Without the database nobody knows whether the account has a second factor, and the browser may have asked.
		const own = told.away ? await eyes.dashboard.locator('.gw-dashboard [data-problem^="account "]').count() : eyes.own;
		if (told.agrees && seen === told.count + own) return [];
	}
	return [`the indicator counts ${seen}, the API ${told?.count} and the browser ${eyes.own}`];
}

/** judge asks everybody at once whether a state lasts, and tells how long each took. */
export async function judge(eyes, one, lasts, { limit = patience, heard = patience, counted = true } = {}) {
	const began = Date.now();
	const words = lasts ? "does not show it" : "does not show that it is over";
	const verdict = (where, asked, wrong) => ({
		where,
		asked,
		wrong,
		took: wrong.length > 0 ? patience : Date.now() - began,
	});
	const seen = looks(eyes, one, lasts, limit).map(([where, who, look]) =>
		look.then(
			() => verdict(where, 1, []),
			() => verdict(where, 1, [`${who} ${words}`]),
		),
	);
	const told = ["api", "gateway-ctl"].map(async (who) => {
		const { asked, wrong } = await beside("hear", { name: one.name, lasts, limit: heard, who });
		return verdict(who, asked, wrong);
	});
	const indicated = counted ? [indicator(eyes, one, lasts, limit).then((wrong) => verdict("indicator", 1, wrong))] : [];
	const all = await Promise.all([...seen, ...told, ...indicated]);
	const took = {};
	for (const { where, asked, took: ms } of all) if (asked > 0) took[where] = Math.max(took[where] ?? 0, ms);
	return {
		took,
		asked: all.reduce((sum, { asked }) => sum + asked, 0),
		wrong: all.flatMap(({ wrong }) => wrong),
	};
}
