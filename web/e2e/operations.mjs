// operations.mjs is the second day of an operator, by what is written on the pages: has alerts sent by webhook and e-mail and
// sees one arrive, finds a line in the logs, reads a chart with its marks, backs up to an object store, looks what a restore
// would change, restores and keeps it.
import { Inspector } from "./lib/axe.mjs";
import { backUp, elsewhere, keep, prepare, restore } from "./lib/backups.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { Person } from "./lib/person.mjs";
import { signIn } from "./lib/steps.mjs";

const { EMAIL: email, PASSWORD: password, PASSPHRASE: passphrase } = process.env;
const { ENDPOINT: endpoint, BUCKET: bucket, ACCESS_KEY: accessKey, SECRET_KEY: secretKey } = process.env;
const { HOOK: hook, MAIL_HOST: mailHost, MAIL_PORT: mailPort } = process.env;
const out = { shown: {}, zones: {} };
const inspector = new Inspector();
const minutes = 60_000;

/** Operator is a person whose sights are looked at by axe, too. */
class Operator extends Person {
	story = "operations";

	async look(title, what = title) {
		await super.look(title, what);
		await inspector.inspect(this.page, what);
	}

	/** glance looks while something is under way, as it is until somebody answers. */
	async glance(what) {
		await this.page.getByRole("dialog", { name: what }).waitFor();
		await inspector.inspect(this.page, what);
	}
}

async function haveAlertsSent(person) {
	await person.click("link", "Alerts");
	await person.click("tab", "Channels");
	await person.look("Alerts", "Alerts: no channels");
	await person.click("button", "Add channel");
	await person.type("Target", hook);
	await person.type("Name", "Pager");
	await person.look("Add channel");
	await person.click("button", "Create");
	await person.read("Pager was added");
	await person.click("button", "Add channel");
	await person.choose("Type", "E-mail");
	await person.type("Target", "ops@example.com");
	await person.type("Name", "Mail");
	await person.type("Mail server", mailHost);
	await person.type("Port", mailPort);
	await person.page.getByRole("switch", { name: "STARTTLS" }).uncheck({ force: true });
	await person.type("Sender", "gateway@example.com");
	await person.look("Add channel", "Add channel: e-mail");
	await person.click("button", "Create");
	await person.read("Mail was added");
}

/** seeItArrive waits for the alert on the page, and asks the receivers. */
async function seeItArrive(person) {
	await person.click("link", "Alerts");
	const row = person.page.getByRole("row").filter({ hasText: "old.example.com" });
	await row.getByText("Pager: Delivered").waitFor({ timeout: 2 * minutes });
	await row.getByText("Mail: Delivered").waitFor({ timeout: minutes });
	await person.look("Alerts", "Alerts: one, delivered");
	out.arrived = await ask("arrived");
}

async function findALine(person) {
	await person.click("link", "Logs");
	await person.look("Logs");
	await person.type("Text", "old.example.com");
	const line = person.page.getByRole("list", { name: "Logs" }).getByRole("listitem").first();
	await line.locator("mark", { hasText: "old.example.com" }).first().waitFor();
	out.shown.log = await line.textContent();
	await person.look("Logs", "Logs: the line");
}

/** boxOf is where something stands, also when it is drawn anew at this moment. */
async function boxOf(locator) {
	for (let tries = 50; tries > 0; tries--) {
		const box = await locator.boundingBox();
		if (box) return box;
		await later(100);
	}
	throw new Error("it stands nowhere");
}

async function readAChart(person) {
	const { page } = person;
	await person.click("link", "Graphs");
	const chart = page.getByRole("slider", { name: "Processor: moment" });
	await chart.waitFor();
	const fired = page
		.getByRole("figure", { name: /^Processor/ })
		.locator(".gw-chart-mark[data-kind=fired]")
		.last();
	await fired.waitFor({ timeout: minutes });
	await person.look("Graphs", "Graphs: an hour with its marks");
	// From the middle to the end, where everything happened.
	const box = await boxOf(chart.locator(".u-over"));
	await page.mouse.move(box.x + box.width * 0.5, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + box.width * 0.75, box.y + box.height / 2);
	await page.mouse.move(box.x + box.width - 2, box.y + box.height / 2);
	await page.mouse.up();
	await page.waitForURL(/zoom=\d+-\d+/);
	await fired.waitFor();
	out.shown.zoomed = new URL(page.url()).searchParams.get("zoom");
	await page.mouse.move(box.x + box.width * 0.9, box.y + box.height / 2);
	await person.look("Graphs", "Graphs: zoomed, with a line in all charts");
	await fired.click();
	await page.getByRole("heading", { name: /^What happened/ }).waitFor();
	await inspector.inspect(page, "Graphs: what happened");
	// The certificate was added then, too: that is a change.
	const alerts = page
		.getByRole("dialog")
		.getByRole("listitem")
		.filter({ has: page.locator("[data-status=danger]") });
	await alerts.getByRole("link", { name: /old\.example\.com/ }).click();
	await page.getByRole("button", { name: "Show the latest" }).waitFor();
	out.shown.mark = await page.getByRole("row").filter({ hasText: "old.example.com" }).first().textContent();
	await person.look("Alerts", "Alerts: of the mark");
	// Back on the chart as it was zoomed, and from there to the whole hour.
	await page.goBack();
	await person.click("button", "Reset zoom");
	await page.waitForURL((url) => !url.searchParams.has("zoom"));
}

await scenario(async () => {
	const person = new Operator(await open());
	await signIn(person.page, { email, password });
	await haveAlertsSent(person);
	await ask("provoke");
	// While it is looked whether it lasts, there is something else to do.
	await prepare(person, { passphrase, password });
	await elsewhere(person, { endpoint, bucket, accessKey, secretKey, password });
	await seeItArrive(person);
	await findALine(person);
	await readAChart(person);
	await person.click("link", "Backups");
	await backUp(person, out);
	out.zones.before = await ask("zones");
	await ask("change");
	await restore(person, { password, out });
	await keep(person);
	const { looks, findings } = inspector;
	return { ...out, sights: [...person.sights], looks, findings: [...findings] };
}, out);
