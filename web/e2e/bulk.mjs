// bulk.mjs is an operator who does something to many objects at once: orders certificates, disables rules, takes it
// back. Every click is counted; the test counts what came of them.
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { goTo, press, settled, signIn } from "./lib/steps.mjs";

const { EMAIL: email, PASSWORD: password } = process.env;
const singly = Number(process.env.SINGLY);
const covered = process.env.COVERED;
const out = {};
let clicks = 0;

/** count has the page tell of every press of a button of the mouse, before anything else hears of it. */
async function count(page) {
	await page.context().exposeBinding("__pressed", () => {
		clicks++;
	});
	await page.addInitScript(() => {
		document.addEventListener("pointerdown", (event) => event.isTrusted && window.__pressed(), true);
	});
}

/** counted does something and answers the clicks that it took, and the changes and applies that came of it. */
async function counted(act) {
	await ask("mark");
	const before = clicks;
	await act();
	return { clicks: clicks - before, ...(await ask("made")) };
}

const toasts = (page) => page.locator(".pf-v6-c-alert-group");
const bar = (page) => page.getByRole("toolbar", { name: "Selected rows" });

/** all ticks every row and does something to them: three clicks. */
async function all(page, action, look = () => {}) {
	await page.getByRole("checkbox", { name: "Select all that match" }).click();
	await press(bar(page), action);
	const dialog = page.getByRole("dialog", { name: action });
	await dialog.waitFor();
	await look(dialog);
	await dialog.getByRole("button", { name: new RegExp(`^${action} \\(`) }).click();
	await dialog.waitFor({ state: "detached" });
	await toasts(page).getByText(`${action}: `).last().waitFor();
}

/** oneByOne is the control: the same by the menu of each rule. */
async function oneByOne(page) {
	const kebabs = page.locator("ol.gw-ordered-list").getByRole("button", { name: /^Actions for/ });
	for (let i = 0; i < singly; i++) {
		await kebabs.nth(i).click();
		await page.getByRole("menuitem", { name: "Disable", exact: true }).click();
		await page.locator("ol.gw-ordered-list li").nth(i).getByText("Disabled").waitFor();
	}
	await settled(page);
}

await scenario(async () => {
	const page = await open();
	await count(page);
	await signIn(page, { email, password });

	await goTo(page, "/proxy");
	out.certificates = await counted(() =>
		all(page, "Get certificate", async (dialog) => {
			out.skipped = await dialog.getByText(covered, { exact: true }).isVisible();
		}),
	);

	await goTo(page, "/firewall");
	out.disabled = await counted(() => all(page, "Disable"));
	out.off = await ask("enabled");
	out.undone = await counted(async () => {
		await press(toasts(page), "Revert");
		await toasts(page).getByText("The change was reverted").last().waitFor();
	});
	out.on = await ask("enabled");

	await goTo(page, "/firewall");
	out.control = await counted(() => oneByOne(page));
	await goTo(page, "/changes");
	out.history = await page.locator("main tbody tr[data-index]").allTextContents();
	return out;
}, out);
