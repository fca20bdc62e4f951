// axe.mjs shows every page, menu and dialog to axe, in both themes.
import { Inspector } from "./lib/axe.mjs";
import { open, phone, scenario } from "./lib/browser.mjs";
import { ask, atGate, base, shareOf } from "./lib/driver.mjs";
import { walkAll } from "./lib/explore.mjs";
import { fakeSetup, refuseChanges } from "./lib/fakes.mjs";
import { enrol, goTo, pagesOf, setUp, signIn, signOut } from "./lib/steps.mjs";

const inspector = new Inspector();
const sight = (page) => (name) => inspector.inspect(page, name);
const unavailable = { data: null, error: { code: "database_unavailable", message: "the database does not answer" } };

/** some are enough at the gate, where another look shows the same pages: to a viewer, or on a small screen. */
const some = (paths) => shareOf(paths, 0, 6);

/** arrival is what there is before somebody is signed in, and what a viewer with a second factor sees. */
async function arrival(viewer) {
	const page = await open();
	await goTo(page, "/sign-in");
	await sight(page)("/sign-in");
	await goTo(page, "/reset-password");
	await sight(page)("/reset-password");

	const fresh = await open();
	await fakeSetup(fresh);
	await goTo(fresh, "/setup");
	await setUp(fresh, { code: "AAAA-AAAA-AAAA", fqdn: "gw1.example.com", ...viewer }, sight(fresh));
	await fresh.context().close();

	await signIn(page, viewer);
	const { factor } = await enrol(page, viewer.password, sight(page));
	await signOut(page);
	await signIn(page, viewer, { factor, moment: sight(page) });
	for (const path of [...some(await pagesOf(page)), "/nowhere"]) {
		await goTo(page, path);
		await sight(page)(`viewer ${path}`);
	}
}

/** work is everything that an administrator can press, on a large screen. */
async function work(windows, paths) {
	const extent = atGate ? { deepest: 0, most: 4 } : {};
	// xss.mjs walks over other ones.
	const pressed = await walkAll(windows, shareOf(paths, 1, 3), (page) => ({ onState: sight(page), ...extent }));
	const [page] = windows;

	// The database goes away under an open page.
	await goTo(page, "/users");
	await page.route(`${base}/api/v1/users?**`, (route) => route.fulfill({ status: 503, json: unavailable }));
	await page.getByRole("searchbox").fill("x");
	await page.locator(".gw-banner", { hasText: "The gateway’s database is not responding" }).waitFor();
	await sight(page)("banner");
	return pressed;
}

/** onPhone is the same on a small screen, which has another navigation. */
async function onPhone(page, paths) {
	for (const path of some(paths)) {
		await goTo(page, path);
		await sight(page)(`phone ${path}`);
	}
	await page.getByRole("button", { name: "Show or hide the navigation" }).click();
	await sight(page)("phone navigation");
	return control(page);
}

/** control shows that faults are found: a picture without words, and letters that can hardly be seen in either theme. */
async function control(page) {
	await goTo(page, "/users");
	await page.evaluate(() => {
		const text = Object.assign(document.createElement("p"), { textContent: "hardly there" });
		Object.assign(text.style, { color: "#909090", background: "#858585" });
		document.querySelector("main").prepend(text, Object.assign(new Image(), { src: "/favicon.svg" }));
	});
	const inspector = new Inspector();
	await inspector.inspect(page, "control");
	return [...inspector.findings].map((finding) => finding.split(" at ")[0]);
}

await scenario(async () => {
	const { admin, viewer } = await ask("accounts");
	const page = await open();
	await signIn(page, admin);
	const paths = await pagesOf(page);
	const storageState = await page.context().storageState();
	const windows = [page, await open({ storageState })];
	for (const window of windows) await refuseChanges(window.context());
	const small = await open({ size: phone, storageState });
	const [pressed, found] = await Promise.all([work(windows, paths), arrival(viewer).then(() => onPhone(small, paths))]);
	const { sights, looks, findings } = inspector;
	return { sights, looks, pressed, findings: [...findings], control: found };
});
