// csrf.mjs is somebody signed in who opens a page of a stranger. That page sends every
// mutation of our API in every way that a page can; none may change anything.
import { open, scenario } from "./lib/browser.mjs";
import { ask, atGate, base, later } from "./lib/driver.mjs";
import { mutationsOf } from "./lib/mutations.mjs";
import { signIn } from "./lib/steps.mjs";
import { nothing } from "./lib/watch.mjs";

/** attack runs in the stranger's page: one mutation, in all ways. It answers how many there are. */
async function attack([base, { method, path, body }]) {
	const url = `${base}/api/v1${path}`;
	const json = JSON.stringify(body ?? {});
	const opened = json.length > 2 ? `${json.slice(0, -1)},` : "{";
	const form = async (method, enctype, name, value) => {
		const frame = Object.assign(document.createElement("iframe"), { name: `f${Math.random()}` });
		document.body.append(frame);
		const form = Object.assign(document.createElement("form"), { action: url, method, enctype, target: frame.name });
		form.append(Object.assign(document.createElement("input"), { name, value }));
		document.body.append(form);
		await new Promise((done) => {
			frame.onload = done;
			setTimeout(done, 2_000);
			form.submit();
		});
		form.remove();
		frame.remove();
	};
	const image = () =>
		new Promise((done) => {
			const image = new Image();
			image.onload = done;
			image.onerror = done;
			image.src = `${url}?${method}`;
		});
	const plain = { credentials: "include", mode: "no-cors", cache: "no-store", method: "POST" };
	const cors = { credentials: "include", method };
	const ways = [
		form("POST", "text/plain", `${opened}"x":"`, '"}'),
		form("POST", "application/x-www-form-urlencoded", "body", json),
		form("POST", "multipart/form-data", "body", json),
		form("GET", "application/x-www-form-urlencoded", "body", json),
		fetch(url, { ...plain, body: json }),
		fetch(url, { ...plain, body: json, headers: { "Content-Type": "text/plain" } }),
		fetch(url, { ...plain, body: new Blob([json], { type: "application/json" }) }),
		fetch(url, plain),
		fetch(url, { ...cors, body: json, headers: { "Content-Type": "application/json" } }),
		fetch(url, { ...cors, headers: { "If-Match": "*" } }),
		Promise.resolve(navigator.sendBeacon(url, new Blob([json], { type: "text/plain" }))),
		image(),
	];
	await Promise.allSettled(ways);
	return ways.length;
}

const stream = `${base.replace("http", "ws")}/api/v1/audit/live`;

/** listen tries to hear a stream from a stranger's page; true when it was opened. */
const listen = (url) =>
	new Promise((resolve) => {
		const socket = new WebSocket(url);
		socket.onopen = () => resolve(true);
		socket.onerror = socket.onclose = () => resolve(false);
		setTimeout(() => resolve(false), 30_000);
	});

/** leave is a form that takes the whole window along: the way on which lax cookies travel. */
async function leave(page, origin, { path, body }) {
	await page.goto(origin);
	const json = JSON.stringify(body ?? {});
	await Promise.all([
		page.waitForURL(`${base}/**`, { timeout: 15_000 }).catch(() => {}),
		page.evaluate(
			([url, json]) => {
				const form = Object.assign(document.createElement("form"), {
					action: url,
					method: "POST",
					enctype: "text/plain",
				});
				form.append(
					Object.assign(document.createElement("input"), { name: `${json.slice(0, -1)},"x":"`, value: '"}' }),
				);
				document.body.append(form);
				form.submit();
			},
			[`${base}/api/v1${path}`, json],
		),
	]);
}

/** besiege is all that one stranger does. */
async function besiege(page, origin, mutations, out) {
	await page.goto(origin);
	for (const mutation of mutations) {
		const ways = await page.evaluate(attack, [base, mutation]);
		out.sent += ways;
	}
	if (await page.evaluate(listen, stream)) out.heard.push(`${origin} ${stream}`);
	for (const mutation of mutations) {
		await leave(page, origin, mutation);
		out.sent++;
	}
}

/** changes tells whether the same attack from our own page changes something. */
async function changes(victim, mutation) {
	const before = await ask("digest");
	await victim.evaluate(attack, [base, mutation]);
	return (await ask("digest")) !== before;
}

/** samples are one mutation of each area, their methods by turns: all of them pass the same gate. */
const samples = (mutations) => {
	const areaOf = ({ path }) => path.split("/")[1];
	const areas = [...new Set(mutations.map(areaOf))].map((area) => mutations.filter((one) => areaOf(one) === area));
	return areas.map((area, i) => area[i % area.length]);
};

/** What the page itself may do without being asked for the password. */
const harmless = ["delete-user", "revoke-token", "set-maintenance"];

await scenario(async () => {
	const { admin } = await ask("accounts");
	const victim = await open({ list: nothing() }); // it is refused on purpose
	await signIn(victim, admin);
	const document = await victim.evaluate(() => fetch("/api/v1/openapi.json").then((r) => r.json()));
	const mutations = mutationsOf(document, await ask("ids"));
	const origins = await ask("strangers");
	const out = { mutations: mutations.length, tried: 0, origins: origins.length, sent: 0, heard: [], control: 0 };
	const before = await ask("digest");
	const sent = atGate ? samples(mutations) : mutations;
	// At the gate they share the mutations between them.
	const partOf = (n) => sent.filter((_, i) => !atGate || i % origins.length === n);
	const siege = async (origin, n) => besiege(await victim.context().newPage(), origin, partOf(n), out);
	out.tried = sent.length;
	await Promise.all(origins.map(siege));
	await later(300);
	out.changed = (await ask("digest")) === before ? [] : ["the state of the node is another one"];
	for (const mutation of mutations) {
		if (harmless.includes(mutation.id) && (await changes(victim, mutation))) out.control++;
	}
	if (await victim.evaluate(listen, stream)) out.control++;
	return { ...out, harmless: harmless.length + 1 };
});
