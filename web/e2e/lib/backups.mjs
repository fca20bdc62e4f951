// backups.mjs is what an operator does about backups, by what is written on the pages; out is told what was seen.
import { ask } from "./driver.mjs";

const minutes = 60_000;

export async function prepare(person, { passphrase, password }) {
	await person.click("link", "Backups");
	await person.read("Never backed up");
	await person.look("Backups", "Backups: none yet");
	await person.click("tab", "Settings");
	await person.type("New passphrase", passphrase);
	await person.type("Repeat the passphrase", passphrase);
	await person.type("Your password", password);
	await person.look("Backups", "Backups: settings");
	await person.click("button", "Set passphrase");
	await person.read("A passphrase is set");
}

export async function elsewhere(person, { endpoint, bucket, accessKey, secretKey, password }) {
	await person.click("tab", "Off-site targets");
	await person.look("Backups", "Backups: no targets");
	await person.click("button", "Add target");
	await person.type("Name", "Vault");
	await person.type("Endpoint", endpoint);
	await person.type("Bucket", bucket);
	await person.type("Access key ID", accessKey);
	await person.type("Secret access key", secretKey);
	await person.page.getByRole("switch", { name: "HTTPS" }).uncheck({ force: true });
	await person.look("Add target");
	await person.click("button", "Create");
	await person.type("Your password", password);
	await person.glance("Confirm with your password");
	await person.click("button", "Confirm");
	await person.read("Vault was added");
	await person.click("button", "Actions for Vault");
	await person.click("menuitem", "Test");
	await person.click("button", "Run test");
	await person.read("The target works");
	await person.look("Test Vault");
	await person.click("button", "Close");
}

export async function backUp(person, out) {
	await person.click("tab", "Backups");
	await person.click("button", "Back up now");
	const row = person.page.getByRole("row").filter({ hasText: "Complete" });
	await row.waitFor({ timeout: 3 * minutes });
	await row.getByText("Vault").waitFor({ timeout: minutes });
	await row.getByText("Verified", { exact: true }).waitFor({ timeout: 3 * minutes });
	out.shown.row = await row.textContent();
	await person.look("Backups", "Backups: one, verified");
	out.shown.line = await person.page.locator(".gw-page-lead").textContent();
}

export async function restore(person, { password, out }) {
	await person.click("button", /^Actions for the backup/);
	await person.click("menuitem", "Restore");
	await person.look("What the restore changes");
	out.shown.difference = await person.page.getByRole("row").filter({ hasText: "DNS zone" }).textContent();
	await person.click("button", "Next");
	await person.look("What happens now");
	out.zones.looked = await ask("zones");
	await person.type("Your password", password);
	await person.click("button", "Restore now");
	const { page } = person;
	const again = page.getByRole("dialog", { name: "Sign in again" });
	// On a quick machine it is over before it is shown.
	await page.getByText("A restore is running").or(again).first().waitFor();
	await again.waitFor({ timeout: 3 * minutes });
	await page.locator('input[name="password"]').fill(password);
	await page.getByRole("dialog").getByRole("button", { name: "Sign in" }).click();
	await page.getByText(/waits for your confirmation/).waitFor({ timeout: minutes });
	await person.look("Restore", "Restore: waits for a confirmation");
	out.zones.restored = await ask("zones");
}

export async function keep(person) {
	// The question stands above every other page, too.
	await person.click("link", "Dashboard");
	await person.page.getByRole("timer").waitFor();
	await person.look("Dashboard", "Dashboard: the restore waits");
	await person.page.locator(".gw-waiting").getByRole("button", { name: "Confirm" }).click();
	await person.page.locator(".gw-waiting").waitFor({ state: "detached", timeout: minutes });
	await person.page.goto("/backups/restore");
	await person.read("The backup is restored");
	await person.look("Restore", "Restore: confirmed");
}
