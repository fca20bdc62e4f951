// proxy_publish.mjs is an operator who publishes a site with the wizard, gives it a second server, drains the first,
// puts its routing rules in another order by dragging, and watches the traffic of a client.
import { Inspector } from "./lib/axe.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { shootBoth } from "./lib/shots.mjs";
import { field, goTo, heading, press, settled, signIn } from "./lib/steps.mjs";

const { EMAIL: email, PASSWORD: password, SITE: site } = process.env;
const [one, two] = JSON.parse(process.env.SERVERS);
const out = { answers: {}, chart: [], shown: {} };
const inspector = new Inspector();

const look = (page, name) => inspector.inspect(page, name);

/** sight looks, and keeps what was seen for the documentation. */
async function sight(page, name) {
	await look(page, name);
	await shootBoth(page, name);
}

const visit = (path = "/", count = 20) => ask("visit", { path, count });
const toast = (page, words) => page.locator(".pf-v6-c-alert-group").getByText(words).last();
const next = (page) => press(page, "Next");

/** publish goes through the wizard, and ends with the site's own page in out. */
async function publish(page) {
	await goTo(page, "/proxy");
	await look(page, "proxy-empty");
	await page.getByRole("button", { name: "Publish a site" }).first().click();
	await heading(page, "Publish a site").waitFor();
	await field(page, "Name").fill(`https://${site}/`);
	await sight(page, "publish-name");
	await next(page);
	await field(page, "Address").fill(one.address);
	await field(page, "Port").fill(String(one.port));
	await sight(page, "publish-where");
	await next(page);
	await page.getByLabel("Self-signed").check();
	await sight(page, "publish-certificate");
	await next(page);
	await sight(page, "publish-summary");
	await press(page, "Preview changes");
	const plan = page.getByRole("region", { name: "Preview changes" });
	await plan.waitFor();
	out.shown.words = await plan.getByRole("listitem").first().textContent();
	out.shown.files = await plan.getByRole("heading", { level: 3 }).count();
	await sight(page, "publish-plan");
	out.answers.looked = await visit("/", 1);
	await press(page, "Hide preview");
	const began = Date.now();
	await press(page.getByRole("main"), "Publish");
	await page.getByRole("heading", { name: `${site} is published` }).waitFor();
	out.publishedAfter = Date.now() - began;
	out.answers.published = await visit();
	await page.locator(".gw-published-checks").getByText("Valid", { exact: true }).waitFor();
	await sight(page, "publish-done");
}

/** drain gives the pool a second server, and keeps new clients away from the first. */
async function drain(page) {
	await goTo(page, "/proxy?tab=pools");
	await page.getByRole("link", { name: site }).click();
	await heading(page, site).waitFor();
	await press(page, "Add server");
	const dialog = page.getByRole("dialog", { name: "Add server" });
	await field(dialog, "Name").fill("server-2");
	await field(dialog, "Address").fill(two.address);
	await field(dialog, "Port").fill(String(two.port));
	await press(dialog, "Create");
	await dialog.waitFor({ state: "detached" });
	const row = (name) => page.getByRole("row").filter({ hasText: name });
	await row("server-2").getByText("Up", { exact: true }).waitFor();
	out.answers.both = await visit();
	await look(page, "pool");
	// Not "check": it looks at once, and the switch turns when the request is on its way.
	await row("server-1").getByRole("switch", { name: "Drain server-1" }).click({ force: true });
	await toast(page, "server-1 is draining").waitFor();
	await row("server-1").getByText("Draining", { exact: true }).waitFor();
	out.answers.drained = await visit();
	await sight(page, "pool-draining");
	await goTo(page, "/proxy?tab=pools");
	await sight(page, "pools");
}

/** reorder drags the rule that fits more closely before the other. */
async function reorder(page) {
	await ask("rules");
	out.answers.before = await visit("/a/b/");
	await goTo(page, "/proxy");
	await sight(page, "proxy-sites");
	await page.getByRole("link", { name: site }).first().click();
	await heading(page, site).waitFor();
	await settled(page);
	await sight(page, "site");
	for (const tab of ["Security", "Headers", "Traffic", "Routing rules"]) {
		await page.getByRole("tab", { name: tab }).click();
		await settled(page);
		await look(page, `site-${tab}`);
	}
	const rule = (path) => page.getByRole("listitem").filter({ has: page.getByText(path, { exact: true }) });
	await rule("/a/b/").dragTo(rule("/a/"));
	await page.getByText("The new order is not saved yet.").waitFor();
	out.shown.order = await page.locator(".gw-rules code").allTextContents();
	await sight(page, "site-rules-moved");
	await press(page, "Save order");
	await toast(page, "The new order is saved").waitFor();
	out.answers.after = await visit("/a/b/");
	// The keyboard's way, there and back: then there is nothing to save.
	await page.getByRole("button", { name: "Move /a/ up" }).press("Enter");
	await page.getByText("The new order is not saved yet.").waitFor();
	await page.getByRole("button", { name: "Move /a/ down" }).press("Enter");
	await page.getByText("The new order is not saved yet.").waitFor({ state: "detached" });
	out.shown.keyboard = true;
}

/** httpsRate reads the newest value of a chart, as a screen reader does. */
async function httpsRate(page) {
	const label = await page.getByRole("figure", { name: /^Requests per second: / }).getAttribute("aria-label");
	return Number(label.match(/HTTPS ([\d.]+)/)?.[1] ?? Number.NaN);
}

/** watch has a client use the site while the chart is looked at. */
async function watch(page) {
	await goTo(page, "/proxy?tab=traffic");
	await later(6_000);
	out.chart.push(await httpsRate(page));
	await ask("load", { seconds: 40 });
	for (let n = 0; n < 10; n++) {
		await later(2_000);
		out.chart.push(await httpsRate(page));
	}
	await sight(page, "traffic");
}

/** certificates looks at what was made for the site. */
async function certificates(page) {
	await goTo(page, "/certificates");
	await sight(page, "certificates");
	await page.getByRole("link", { name: site }).click();
	await heading(page, site).waitFor();
	await sight(page, "certificate");
	for (const path of ["/certificates?tab=providers", "/certificates?tab=authority", "/certificates?do=create"]) {
		await goTo(page, path);
		await look(page, path);
	}
}

await scenario(async () => {
	const page = await open();
	await signIn(page, { email, password });
	await publish(page);
	await drain(page);
	await reorder(page);
	await certificates(page);
	await watch(page);
	const { sights, findings } = inspector;
	return { ...out, sights, findings: [...findings] };
}, out);
