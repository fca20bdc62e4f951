// story.mjs is the first hour with an appliance, in a browser: setup, second factor, a
// viewer who finds nothing that fails, and the audit log as it is written.
import { open, scenario } from "./lib/browser.mjs";
import { ask, atGate, shareOf } from "./lib/driver.mjs";
import { Explorer } from "./lib/explore.mjs";
import { refuseChanges } from "./lib/fakes.mjs";
import { shootAll, shootBoth } from "./lib/shots.mjs";
import { createUser, enrol, goTo, heading, pagesOf, setUp, signIn, signOut } from "./lib/steps.mjs";

const admin = { email: "admin@example.com", password: "Harbour-Lantern-42" };
const viewer = { email: "viewer@example.com", password: "Cobalt-Meadow-17" };
const out = {};

/** These end the viewer's own session or change its own account, which a viewer may; they are not sent. */
const own = /\/auth\/(logout|change-password|sessions\/|totp\/)/;

/** pressEverything is a viewer who presses all there is; what the server forbids is in seen.forbidden. */
async function pressEverything(page) {
	const changes = [];
	page.on("request", (request) => {
		const { pathname } = new URL(request.url());
		if (request.method() !== "GET" && pathname.startsWith("/api/v1/")) changes.push(`${request.method()} ${pathname}`);
	});
	await refuseChanges(page.context(), own);
	const refused = [];
	page.on("response", (response) => {
		if (response.status() === 403) refused.push(`${response.request().method()} ${response.url()} on ${page.url()}`);
	});
	// At the gate the first few of every page: the server refuses a viewer's change wherever it comes from.
	const extent = atGate ? { deepest: 1, most: 2 } : {};
	const explorer = new Explorer(page, { onState: () => {}, ...extent });
	const paths = shareOf(await pagesOf(page), 1, 2);
	for (const path of paths) await explorer.walk(path);
	// Had there been a button that fails, it would have been noticed.
	const before = refused.length;
	const headers = { "Content-Type": "application/json" };
	await page.evaluate(
		(headers) => fetch("/api/v1/system/maintenance", { method: "POST", headers, body: '{"enabled":true}' }),
		headers,
	);
	const control = refused.splice(before).length;
	return { pages: paths, pressed: explorer.pressed, changes: [...new Set(changes)], refused, control };
}

/** live is how long an entry takes to appear in an open audit log, in milliseconds after the answer. */
async function live(watcher, doer) {
	await goTo(watcher, "/audit");
	await watcher.getByRole("status").filter({ hasText: "Live" }).waitFor();
	const email = "live@example.com";
	const row = watcher.getByRole("listitem").filter({ hasText: "User created" }).filter({ hasText: email });
	const seen = row.waitFor().then(() => Date.now());
	const isCreate = (r) => r.url().endsWith("/api/v1/users") && r.request().method() === "POST" && r.ok();
	const answered = doer.waitForResponse(isCreate).then(() => Date.now());
	await createUser(doer, { ...viewer, email, own: admin.password });
	return Math.max(0, (await seen) - (await answered));
}

await scenario(async () => {
	const page = await open();
	await page.goto("/");
	await page.waitForURL("**/setup");
	await heading(page, "Set up this gateway").waitFor();
	await setUp(page, { code: await ask("setup-code"), fqdn: "gw1.example.com", ...admin }, (name) =>
		shootBoth(page, name),
	);
	out.signedIn = new URL(page.url()).pathname;

	const { factor, recovery } = await enrol(page, admin.password, (name) => shootBoth(page, name));
	out.recovery = recovery.length;
	await signOut(page);
	await signIn(page, admin, { factor, moment: (name) => shootBoth(page, name) });
	await heading(page, "Dashboard").waitFor();

	await createUser(page, { ...viewer, own: admin.password });
	const other = await open();
	await signIn(other, viewer);
	out.viewer = await pressEverything(other);

	out.live = await live(other, page);
	await shootAll(await page.context().storageState(), await pagesOf(page));
	return out;
}, out);
