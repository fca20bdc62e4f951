// firewall_story.mjs is an operator who lets something through, sees why and by which rule packets pass, makes a rule
// out of a line of the log, changes the order by dragging, and is refused what would break an assertion.
import { Inspector } from "./lib/axe.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { shootBoth } from "./lib/shots.mjs";
import { field, goTo, press, settled, signIn } from "./lib/steps.mjs";

const out = { reached: {}, shown: {} };
const inspector = new Inspector();

/** sight looks, and keeps what was seen for the documentation. */
async function sight(page, name) {
	await settled(page);
	await inspector.inspect(page, name);
	await shootBoth(page, name);
}

const toast = (page, words) => page.locator(".pf-v6-c-alert-group").getByText(words).last();
const rule = (page, name) => page.locator("ol.gw-ordered-list li").filter({ hasText: name });
const names = (page) => page.locator("ol.gw-ordered-list .gw-ordered-title").allTextContents();
const reach = () => ask("reach");

/** create lets the shop's till through with the form. */
async function create(page, { far }) {
	await goTo(page, "/firewall");
	out.reached.before = await reach();
	await press(page, "Create rule");
	const dialog = page.getByRole("dialog", { name: "Create rule" });
	await field(dialog, "Name").fill("The till reaches the bank");
	await field(dialog, "Source zone").selectOption("lan");
	await field(dialog, "Destination zone").selectOption("wan");
	await field(dialog, "Action").selectOption("accept");
	await field(dialog, "Destination addresses").fill(far);
	await dialog.getByRole("combobox", { name: "Services" }).fill("Card");
	await page.getByRole("option", { name: /^Card payments/ }).click();
	await dialog.getByText(`Accept Card payments (tcp/7001) from lan to wan (${far})`).waitFor();
	await dialog.getByLabel("Log packets").check({ force: true });
	await sight(page, "firewall-rule-form");
	await press(dialog, "Create");
	await dialog.waitFor({ state: "detached" });
	await toast(page, "The till reaches the bank was created").waitFor();
	out.reached.created = await reach();
	await rule(page, "The office stores backups")
		.getByText("Shadowed by The office manages the servers (same action)")
		.waitFor();
	await rule(page, "The till reaches the bank")
		.getByText(/packet/)
		.waitFor();
	await sight(page, "firewall-rules");
}

/** explain asks why a packet passes. */
async function explain(page, { near, far }) {
	await press(page, "Explain a packet");
	const dialog = page.getByRole("dialog", { name: "Why a packet is accepted or dropped" });
	await field(dialog, "Source").fill(near);
	await field(dialog, "Destination").fill(far);
	await field(dialog, "Port").fill("7001");
	await press(dialog, "Explain");
	await dialog.getByText("The till reaches the bank").first().waitFor();
	out.shown.trace = await dialog.locator("[aria-live]").textContent();
	await sight(page, "firewall-explain");
	await dialog.getByRole("button", { name: "Close" }).first().click();
	await dialog.waitFor({ state: "detached" });
}

/** reorder drags the new rule to the top, and saves. */
async function reorder(page) {
	const first = (await names(page))[0];
	await rule(page, "The till reaches the bank").dragTo(rule(page, first));
	await page.getByText("1 move is not saved yet").waitFor();
	await press(page, "Save order");
	await toast(page, "The new order is saved").waitFor();
	await goTo(page, "/firewall");
	out.shown.order = await names(page);
}

/** fromLog makes a rule out of a packet that nobody let through. */
async function fromLog(page, { far }) {
	await goTo(page, "/live-log");
	await ask("refused");
	const line = page.locator("main li").filter({ hasText: `${far}:7002` });
	await line.first().waitFor();
	await sight(page, "firewall-log");
	await line
		.first()
		.getByRole("button", { name: /^Actions for/ })
		.click();
	await page.getByRole("menuitem", { name: "Create rule from this packet" }).click();
	const form = page.getByRole("dialog", { name: "Create rule" });
	await form.waitFor();
	const source = field(form, "Source addresses");
	// The form opens before it knows the packet.
	for (let i = 0; i < 50 && (await source.inputValue()) === ""; i++) await later(100);
	out.shown.from = await source.inputValue();
	await field(form, "Name").fill("From a line of the log");
	await press(form, "Create");
	await form.waitFor({ state: "detached" });
	out.reached.fromLog = await ask("reachOther");
}

/** refused tries what an assertion forbids. */
async function refused(page) {
	await goTo(page, "/firewall?tab=assertions");
	await sight(page, "firewall-assertions");
	await goTo(page, "/firewall");
	await press(page, "Create rule");
	const dialog = page.getByRole("dialog", { name: "Create rule" });
	await field(dialog, "Name").fill("Everybody everywhere");
	await field(dialog, "Source zone").selectOption("any");
	await field(dialog, "Destination zone").selectOption("any");
	await field(dialog, "Action").selectOption("accept");
	await dialog.getByLabel("Accept any source to any destination").check({ force: true });
	await press(dialog, "Create");
	const refusal = page.getByText(/The office never sends mail by itself/).first();
	await refusal.waitFor();
	out.shown.refusal = await refusal.textContent();
	await sight(page, "firewall-refused");
	await press(dialog, "Cancel");
	const discard = page.getByRole("button", { name: "Discard" });
	if (await discard.isVisible()) await discard.click();
}

await scenario(async () => {
	const [{ admin }, addresses] = [await ask("accounts"), await ask("addresses")];
	const page = await open();
	await signIn(page, admin);
	await create(page, addresses);
	await explain(page, addresses);
	await reorder(page);
	await fromLog(page, addresses);
	const others = {
		"firewall-matrix": "/firewall?tab=matrix",
		"firewall-nat": "/firewall?tab=nat",
		"firewall-objects": "/objects?tab=addresses",
		"firewall-zones": "/objects",
		"firewall-connections": "/connections",
		"firewall-settings": "/firewall?tab=settings",
	};
	for (const [name, path] of Object.entries(others)) {
		await goTo(page, path);
		await sight(page, name);
	}
	await refused(page);
	const { sights, findings } = inspector;
	return { ...out, sights, findings: [...findings] };
}, out);
