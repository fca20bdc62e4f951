// steps.mjs is what a person does on the pages, for the scenarios to share.
import { quiet } from "./quiet.mjs";
import { scan } from "./totp.mjs";

export const heading = (page, name) => page.getByRole("heading", { level: 1, name });
export const field = (scope, label) =>
	scope.getByLabel(label, { exact: false }).and(scope.locator("input, select, textarea")).first();
export const press = (scope, name) => scope.getByRole("button", { name, exact: true }).click();
export const nobody = () => {};

/** goTo opens a page and waits until it has its heading and its data. */
export async function goTo(page, path) {
	await page.goto(path);
	await settled(page);
}

/** busy is what a page shows in place of what it does not have yet. */
export const busy = '[aria-busy="true"], .pf-v6-c-skeleton, .pf-v6-c-spinner';

/** settled is when the page says no more that it is loading, and all its requests are answered. */
export async function settled(page) {
	await page.getByRole("heading").first().waitFor();
	await quiet(page);
	await page.waitForFunction((busy) => !document.querySelector(busy), busy);
}

/** signIn goes through the sign-in page; factor is the authenticator of an account that has one. */
export async function signIn(page, { email, password }, { factor, recovery, moment = nobody } = {}) {
	await page.goto("/sign-in");
	await field(page, "E-mail").fill(email);
	await page.locator('input[name="password"]').fill(password);
	await moment("sign-in");
	await press(page, "Sign in");
	if (factor || recovery) {
		if (recovery) await press(page, "Use a recovery code");
		const input = field(page, recovery ? "Recovery code" : "Code");
		await input.waitFor();
		await moment("sign-in-code");
		await input.fill(recovery ?? (await factor.code()));
		await press(page, "Sign in");
	}
	await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
	await settled(page);
}

export async function signOut(page) {
	await page.getByRole("button", { name: /^Account menu of/ }).click();
	await page.getByRole("menuitem", { name: "Sign out" }).click();
	await page.waitForURL("**/sign-in**");
	await heading(page, "Sign in").waitFor();
}

/** setUp goes through the wizard to the dashboard. */
export async function setUp(page, { code, fqdn, email, password }, moment = nobody) {
	const next = async (button = "Next") => {
		await moment(`setup-${await page.getByRole("heading", { level: 2 }).first().textContent()}`);
		await press(page, button);
	};
	await field(page, "Setup code").fill(code);
	await next();
	await field(page, "Fully qualified host name").fill(fqdn);
	await next();
	await next("Skip for now");
	await field(page, "E-mail").fill(email);
	await page.locator('input[name="password"]').fill(password);
	await field(page, "Repeat the password").fill(password);
	await next();
	await next("Finish setup");
	await heading(page, "Your gateway is ready").waitFor();
	await moment("setup-done");
	await press(page, "Go to the dashboard");
	await heading(page, "Dashboard").waitFor();
	await settled(page);
}

/** enrol turns the second factor on with the code that is read off the screen. */
export async function enrol(page, password, moment = nobody) {
	await goTo(page, "/account?tab=second-factor");
	await press(page, "Set up second factor");
	await field(page.getByRole("dialog"), "Your password").fill(password);
	await press(page, "Continue");
	const picture = page.getByRole("img", { name: "QR code for the authenticator app" });
	await picture.waitFor();
	await moment("account-enrol");
	const factor = await scan(picture);
	await field(page, "Code").fill(await factor.code());
	await press(page, "Turn on");
	const dialog = page.getByRole("dialog", { name: "Save your recovery codes" });
	await dialog.waitFor();
	const recovery = await dialog.locator("code").allTextContents();
	await moment("account-recovery-codes");
	await dialog.getByLabel("I have saved the codes").check();
	await press(dialog, "Done");
	await dialog.waitFor({ state: "detached" });
	return { factor, recovery };
}

/** confirm gives the password where it is asked for once more. */
export async function confirm(page, password) {
	const dialog = page.getByRole("dialog", { name: "Confirm with your password" });
	await field(dialog, "Your password").fill(password);
	await press(dialog, "Confirm");
	await dialog.waitFor({ state: "detached" });
}

/** createUser fills the form on the users page; own is the password of whoever does it. */
export async function createUser(page, { email, password, role = "viewer", own }) {
	await goTo(page, "/users");
	await press(page, "Create user");
	const dialog = page.getByRole("dialog", { name: "Create user" });
	await field(dialog, "E-mail").fill(email);
	await field(dialog, "Role").selectOption(role);
	await dialog.locator('input[name="password"]').fill(password);
	await press(dialog, "Create");
	await confirm(page, own);
	await dialog.waitFor({ state: "detached" });
	await page.getByRole("row").filter({ hasText: email }).waitFor();
}

/** pagesOf are the pages in the navigation, as paths, and those of the account menu. */
export async function pagesOf(page) {
	const links = await page.locator("#nav a[href]").evaluateAll((all) => all.map((a) => a.getAttribute("href")));
	return [...new Set([...links, "/account", "/reference"])];
}
