// load.mjs measures what a visit costs: bytes over the wire, the first paint, and how
// long a click on the navigation takes to show the other page.
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { median } from "./lib/figures.mjs";
import { quiet } from "./lib/quiet.mjs";
import { goTo, settled, signIn } from "./lib/steps.mjs";

const rounds = 5;

/** Wire counts what the page received, headers included, by kind. */
class Wire {
	static async on(page) {
		const wire = new Wire();
		// What the document itself names, and the messages, come before any page.
		wire.html = await (await page.request.get("/")).text();
		const talk = await page.context().newCDPSession(page);
		const urls = new Map();
		talk.on("Network.responseReceived", ({ requestId, response }) => urls.set(requestId, response));
		talk.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
			const response = urls.get(requestId);
			if (response && !response.fromDiskCache) wire.add(response, encodedDataLength);
		});
		await talk.send("Network.enable");
		wire.reset();
		return wire;
	}

	reset() {
		Object.assign(this, { code: 0, before: 0, fonts: 0, api: 0, plain: [], files: [] });
	}

	add({ url, mimeType, headers }, bytes) {
		const path = new URL(url).pathname;
		const kind = path.startsWith("/api/") ? "api" : path.endsWith(".woff2") ? "fonts" : "code";
		this[kind] += bytes;
		if (
			kind === "code" &&
			(this.html.includes(path) || !path.startsWith("/assets/") || /\/assets\/(messages-)?(en|de)-/.test(path))
		)
			this.before += bytes;
		this.files.push(`${path} ${bytes}`);
		const packed = Object.keys(headers).some((name) => name.toLowerCase() === "content-encoding");
		if (kind === "code" && !packed && bytes > 2_000) this.plain.push(`${path} (${mimeType})`);
	}
}

/** firstLoad is a visit by a browser that never was here. */
async function firstLoad() {
	const page = await open();
	const wire = await Wire.on(page);
	await page.goto("/sign-in");
	await settled(page);
	const times = await page.evaluate(() => {
		const [document] = performance.getEntriesByType("navigation");
		const files = performance.getEntriesByType("resource").filter((entry) => /assets.*js/.test(entry.name));
		return {
			answer: document.responseEnd,
			interactive: document.domInteractive,
			last: Math.max(...files.map((entry) => entry.responseEnd)),
			paint: performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? Number.NaN,
		};
	});
	await page.context().close();
	return { ...wire, ...times };
}

/** walk goes over the navigation by clicking; the first round also fetches each page's own code. */
async function walk(page, wire, links, pages) {
	const times = [];
	for (const to of links) {
		wire.reset();
		times.push(await page.evaluate(clickAndWait, to));
		await quiet(page);
		if (wire.code > 0) pages[to] = wire.code;
	}
	return times;
}

/** clickAndWait is the time from a click in the navigation to the frame with the other page's heading. */
async function clickAndWait(to) {
	const link = document.querySelector(`#nav a[href="${to}"]`);
	const before = document.querySelector("main h1")?.textContent;
	const began = performance.now();
	link.click();
	while (document.querySelector("main h1")?.textContent === before || !document.querySelector("main h1")) {
		if (performance.now() - began > 30_000) throw new Error(`${to} did not come`);
		await new Promise(requestAnimationFrame);
	}
	await new Promise(requestAnimationFrame);
	return performance.now() - began;
}

await scenario(async () => {
	const { admin } = await ask("accounts");
	const loads = [];
	for (let n = 0; n < rounds; n++) loads.push(await firstLoad());

	const page = await open();
	const wire = await Wire.on(page);
	await signIn(page, admin);
	await goTo(page, "/");
	const links = await page.locator("#nav a[href]").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
	const start = new URL(page.url()).pathname;
	const ring = [...links.filter((to) => to !== start), start];
	const pages = {};
	await page.evaluate(() => Object.assign(window, { __same: true }) && undefined);
	const first = await walk(page, wire, ring, pages);
	const again = [];
	for (let n = 1; n < rounds; n++) again.push(...(await walk(page, wire, ring, {})));
	const [cold] = loads;
	return {
		sameDocument: await page.evaluate(() => window.__same === true),
		before: cold.before,
		page: cold.code - cold.before,
		fonts: cold.fonts,
		api: cold.api,
		plain: cold.plain,
		files: cold.files,
		pages,
		paint: median(loads.map((load) => load.paint)),
		paints: loads.map(({ answer, interactive, last, paint }) =>
			[answer, interactive, last, paint].map(Math.round).join("/"),
		),
		firstVisit: median(first),
		interaction: median([...first, ...again]),
		worst: Math.max(...first, ...again),
	};
});
