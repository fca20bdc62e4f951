// quiet.mjs knows when a page has come to rest. Playwright's own "networkidle" waits
// half a second each time, which is most of what a walk over all pages takes.
import { later } from "./driver.mjs";

const state = new WeakMap();

/** follow counts a page's open requests; streams never end and do not count. */
export function follow(page) {
	const open = new Set();
	const ended = (request) => {
		open.delete(request);
		now.since = Date.now();
	};
	const now = { open, since: Date.now() };
	state.set(page, now);
	page.on("request", (request) => {
		open.add(request);
		now.since = Date.now();
	});
	page.on("requestfinished", ended);
	page.on("requestfailed", ended);
	page.on("framenavigated", (frame) => frame === page.mainFrame() && open.clear());
}

/** quiet waits until nothing was asked for for a moment. */
export async function quiet(page, moment = 120, limit = 30_000) {
	const now = state.get(page);
	const end = Date.now() + limit;
	while (now.open.size > 0 || Date.now() - now.since < moment) {
		if (Date.now() > end) throw new Error(`${page.url()} still waits for ${[...now.open].map((r) => r.url())}`);
		await later(20);
	}
	// What was answered is drawn when there is time for it, which takes longer than a moment on a busy machine.
	await page.evaluate(() => new Promise((done) => requestIdleCallback(done, { timeout: 5_000 }))).catch(() => {});
}
