// store.mjs signs in by the page, looks at every page and the latest changes, and tells what the
// browser keeps of it: its stores, the caches, the cookies that scripts can read, and what the pages say.
import { open, scenario } from "./lib/browser.mjs";
import { goTo, pagesOf, signIn } from "./lib/steps.mjs";

const { EMAIL: email, PASSWORD: password, CONTROL: control } = process.env;

/** kept is everything that a script of the page can read there later. */
async function kept() {
	const out = [document.cookie, JSON.stringify({ ...localStorage }), JSON.stringify({ ...sessionStorage })];
	for (const { name } of await indexedDB.databases()) {
		const db = await new Promise((done, failed) => {
			const asked = indexedDB.open(name);
			asked.onsuccess = () => done(asked.result);
			asked.onerror = () => failed(asked.error);
		});
		for (const store of db.objectStoreNames) {
			const rows = await new Promise((done) => {
				const asked = db.transaction(store).objectStore(store).getAll();
				asked.onsuccess = () => done(asked.result);
			});
			out.push(name, store, JSON.stringify(rows));
		}
		db.close();
	}
	for (const name of await caches.keys()) {
		const cache = await caches.open(name);
		for (const request of await cache.keys()) out.push(request.url, await (await cache.match(request)).text());
	}
	return out.join("\n");
}

await scenario(async () => {
	const page = await open();
	await signIn(page, { email, password });
	await page.evaluate((text) => localStorage.setItem("control", text), control);
	const texts = [];
	for (const path of await pagesOf(page)) {
		await goTo(page, path);
		texts.push(await page.content());
	}
	const changes = await page.evaluate(() =>
		fetch("/api/v1/changes?limit=10")
			.then((r) => r.json())
			.then(({ data }) => data.map(({ id }) => id)),
	);
	for (const id of changes) {
		await goTo(page, `/changes/${id}`);
		texts.push(await page.content());
	}
	texts.push(await page.evaluate(kept));
	return { looked: texts.length - 1, text: texts.join("\n") };
});
