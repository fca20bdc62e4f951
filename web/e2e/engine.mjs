// engine.mjs is an operator who changes DNS records in a browser: looks at what will change, watches it
// become live, undoes it, lets a change run out and keeps another, and finds all of it in the history.
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { shootBoth } from "./lib/shots.mjs";
import { field, goTo, heading, press, settled, signIn } from "./lib/steps.mjs";

const { EMAIL: email, PASSWORD: password, ZONE: zone } = process.env;
const host = `www.${zone}`;
const wait = 10;
const longer = 30; // for what has to be done in time, on a busy machine too
const out = { stages: [], answers: {}, shown: {} };

const dig = () => ask("dig", { name: host });

/** cutOff asks until nothing is answered: a change waits from the moment it is stored, and is live a little later. */
async function cutOff(before) {
	let answer = await dig();
	for (; answer.startsWith("192.0.2.") && Date.now() < before; answer = await dig()) await later(100);
	return answer;
}

const bar = (page) => page.locator(".gw-waiting");

/** watchStages keeps each stage that the page showed as the one under way. */
function watchStages() {
	window.__stages = [];
	const look = () => {
		for (const { dataset } of document.querySelectorAll('.gw-progress [data-look="now"]')) {
			if (window.__stages.at(-1) !== dataset.stage) window.__stages.push(dataset.stage);
		}
	};
	new MutationObserver(look).observe(document, { subtree: true, childList: true, attributes: true });
}

/** noteStages adds what was shown since the document was loaded; a quick change shows few of them. */
async function noteStages(page) {
	out.stages = [...new Set([...out.stages, ...(await page.evaluate(() => window.__stages))])];
}

/** edit opens the record's form and types another address. */
async function edit(page, value) {
	await goTo(page, `/dns?q=${host}`);
	await page.getByRole("button", { name: `Actions for ${host}` }).click();
	await page.getByRole("menuitem", { name: "Edit record" }).click();
	const dialog = page.getByRole("dialog", { name: "Edit record" });
	await field(dialog, "Value").fill(value);
	return dialog;
}

/** save presses the form's button and waits until its dialog is gone. */
async function save(dialog) {
	await press(dialog, "Save");
	await dialog.waitFor({ state: "detached" });
}

const toast = (page, words) => page.locator(".pf-v6-c-alert-group").getByText(words).last();

/** seeAndUndo looks first, saves, watches, and takes it back by the toast. */
async function seeAndUndo(page) {
	const dialog = await edit(page, "192.0.2.81");
	await field(dialog, "Reason").fill("der neue Server → 81");
	await shootBoth(page, "change-form");
	await press(dialog, "Preview changes");
	const plan = page.getByRole("dialog", { name: "Preview changes" });
	await plan.waitFor();
	out.shown.words = await plan.getByText("Changes DNS record", { exact: false }).first().textContent();
	await plan.locator(".gw-files summary").first().click();
	await shootBoth(page, "change-plan");
	const lines = (kind) => plan.locator(`tr[data-kind="${kind}"] td:last-child`).allTextContents();
	out.shown.removed = await lines("removed");
	out.shown.added = await lines("added");
	out.answers.looked = await dig();
	await press(plan, "Back");

	const began = Date.now();
	await save(dialog);
	await toast(page, "Live: DNS resolver (Unbound)").waitFor();
	out.liveAfter = Date.now() - began;
	await noteStages(page);
	out.answers.saved = await dig();
	await shootBoth(page, "change-live");
	await press(page, "Revert");
	await toast(page, "The change was reverted").waitFor();
	out.answers.undone = await dig();
}

/** keep makes a change that waits, finds it in another tab and after a reload, and keeps it. */
async function keep(page) {
	const dialog = await edit(page, "192.0.2.82");
	await dialog.getByLabel("Revert automatically unless confirmed").check({ force: true });
	await field(dialog, "Time to confirm").selectOption(String(longer));
	await save(dialog);
	const began = Date.now();
	await bar(page).waitFor();
	out.answers.waiting = await dig();
	const other = await page.context().newPage();
	await other.goto("/system");
	await bar(other).getByRole("button", { name: "Confirm" }).waitFor();
	await page.reload();
	await bar(page).getByRole("button", { name: "Confirm" }).waitFor();
	out.shown.everywhere = true;
	await bar(other).getByRole("button", { name: "Confirm" }).click();
	await bar(page).waitFor({ state: "detached" });
	await other.close();
	await later(Math.max(0, (longer + 3) * 1000 - (Date.now() - began)));
	out.answers.kept = await dig();
}

/** lose cuts everybody off by the settings and does nothing about it. */
async function lose(page) {
	await goTo(page, "/dns?tab=settings");
	const acl = field(page, "Allowed clients");
	const before = await acl.inputValue();
	await acl.fill("127.0.0.0/8");
	out.shown.onByDefault = await page.getByLabel("Revert automatically unless confirmed within").isChecked();
	await field(page, "Time to confirm").selectOption(String(wait));
	await press(page, "Save");
	await bar(page).waitFor();
	const began = Date.now();
	await noteStages(page);
	await shootBoth(page, "change-waiting");
	out.answers.cut = await cutOff(began + (wait - 1) * 1000);
	// It is told for some seconds only, and a busy machine takes as long for the rest.
	const told = page.getByText("The change was not confirmed in time and was reverted").waitFor({ timeout: 60_000 });
	told.catch(() => undefined);
	await bar(page).waitFor({ state: "detached", timeout: 60_000 });
	out.backAfter = Date.now() - began;
	out.answers.back = await dig();
	await page.waitForFunction(
		([label, text]) =>
			[...document.querySelectorAll("textarea")].some(
				(e) => e.labels[0]?.textContent.includes(label) && e.value === text,
			),
		["Allowed clients", before],
	);
	out.shown.formBack = true;
	await told;
	out.shown.toldWhy = true;
}

/** revert finds a change in the history that later ones touched, and one that nobody did. */
async function revert(page) {
	for (const value of ["192.0.2.83", "192.0.2.84"]) await save(await edit(page, value));
	await goTo(page, "/changes?component=dns");
	await shootBoth(page, "changes");
	out.shown.undone = await page.getByRole("row").filter({ hasText: "Reverted" }).count();
	await page.getByRole("row").filter({ hasText: "DNS record changed" }).nth(1).getByRole("link").click();
	await heading(page, "DNS record changed").waitFor();
	await settled(page);
	await shootBoth(page, "change-detail");
	await press(page, "Revert this change");
	const dialog = page.getByRole("dialog", { name: "Revert this change?" });
	await press(dialog, "Revert this change");
	const row = dialog.getByRole("row").filter({ hasText: "dns_records.value" });
	await row.waitFor();
	await shootBoth(page, "change-conflict");
	out.shown.conflict = (await row.getByRole("cell").allTextContents()).slice(1);
	await press(dialog, "Cancel");
}

await scenario(async () => {
	const page = await open();
	await page.addInitScript(watchStages);
	await signIn(page, { email, password });
	out.answers.before = await dig();
	await seeAndUndo(page);
	await keep(page);
	await lose(page);
	await revert(page);
	return out;
}, out);
