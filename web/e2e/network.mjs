// network.mjs is an operator who builds a bridge, sees it drawn, gives it an address and a route, finds both in the
// kernel, is warned before a route that would take away the own session, adds a device by a QR code, and gives the
// management another address without confirming it.
import { Inspector } from "./lib/axe.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { shootBoth } from "./lib/shots.mjs";
import { field, goTo, press, settled, signIn } from "./lib/steps.mjs";
import { readCode } from "./lib/totp.mjs";

const out = { shown: {}, kernel: {} };
const inspector = new Inspector();

/** sight looks, and keeps what was seen for the documentation. */
async function sight(page, name) {
	await settled(page);
	await inspector.inspect(page, name);
	await shootBoth(page, name);
}

const drawing = (page) => page.getByRole("region", { name: "How the interfaces are connected" });
const row = (page, text) => page.getByRole("row").filter({ hasText: text });
const kernel = (line) => ask("ip", { line });

/** confirm keeps a change that would be reverted by itself. */
async function confirm(page) {
	const waiting = page.locator(".gw-waiting");
	await waiting.getByRole("button", { name: "Confirm" }).click();
	await waiting.waitFor({ state: "detached" });
}

/** bridge builds one on the free port. */
async function bridge(page, { port, name }) {
	await goTo(page, "/interfaces");
	await drawing(page)
		.getByRole("link", { name: new RegExp(`^${port} Not configured`) })
		.waitFor();
	await press(page, "Add interface");
	const dialog = page.getByRole("dialog", { name: "Add interface" });
	await field(dialog, "Name").fill(name);
	await field(dialog, "Type").selectOption("bridge");
	await field(dialog, "Zone").selectOption("lan");
	await dialog.getByRole("checkbox", { name: port, exact: true }).check();
	await sight(page, "network-interface-form");
	await press(dialog, "Create");
	await dialog.waitFor({ state: "detached" });
	await confirm(page);
	const box = drawing(page).getByRole("link", { name: new RegExp(`^${name} Bridge.*Up`) });
	await box.waitFor();
	out.shown.box = await box.textContent();
	out.kernel.link = await kernel(`-d link show ${name}`);
	await sight(page, "network-interfaces");
	await box.click();
	await page.getByRole("heading", { level: 1, name }).waitFor();
	await sight(page, "network-interface");
}

/** address gives the bridge one, on its page. */
async function address(page, { address, name }) {
	await page.getByRole("tab", { name: "IP addresses" }).click();
	await press(page, "Add IP address");
	const dialog = page.getByRole("dialog", { name: "Add IP address" });
	await field(dialog, "Address").fill(address);
	await field(dialog, "Prefix length").fill("24");
	await press(dialog, "Create");
	await dialog.waitFor({ state: "detached" });
	await row(page, `${address}/24`).getByText("Live").waitFor();
	out.kernel.address = await kernel(`-4 address show dev ${name}`);
	await sight(page, "network-addresses");
}

/** route leads to a network behind it. */
async function route(page, { destination, gateway }) {
	await goTo(page, "/routes");
	await press(page, "Create route");
	const dialog = page.getByRole("dialog", { name: "Create route" });
	await field(dialog, "Destination").fill(destination);
	await field(dialog, "Gateway").fill(gateway);
	await press(dialog, "Create");
	await dialog.waitFor({ state: "detached" });
	await row(page, destination).getByText("Live").waitFor();
	out.kernel.route = await kernel(`route show ${destination}`);
	await sight(page, "network-routes");
	await page.getByRole("tab", { name: "Kernel" }).click();
	await row(page, destination).getByText("Live").waitFor();
	await sight(page, "network-routes-kernel");
}

/** stray tries a route that the answers to this browser would end in. */
async function stray(page, { client }) {
	await goTo(page, "/routes");
	await press(page, "Create route");
	const dialog = page.getByRole("dialog", { name: "Create route" });
	await field(dialog, "Destination").fill(`${client}/32`);
	await field(dialog, "Type").selectOption("blackhole");
	await press(dialog, "Create");
	const question = page.getByRole("dialog", { name: /You would lose access/ });
	await question.waitFor();
	out.shown.refusal = await question.textContent();
	// The form below is busy until it is answered.
	await inspector.inspect(page, "network-refused");
	await shootBoth(page, "network-refused");
	await press(question, "Do not save");
	await question.waitFor({ state: "detached" });
	await press(dialog, "Cancel");
	const discard = page.getByRole("button", { name: "Discard" });
	if (await discard.isVisible()) await discard.click();
	out.kernel.stray = await kernel("route show type blackhole");
}

/** device adds a phone, and scans what is on the screen. */
async function device(page) {
	await goTo(page, "/tunnels");
	await press(page, "Add a device");
	const dialog = page.getByRole("dialog", { name: "Add a device" });
	await field(dialog, "Name").fill("phone");
	await press(dialog, "Add");
	const shown = page.getByRole("dialog", { name: "Connect phone" });
	const code = shown.getByRole("img", { name: "QR code with the configuration of phone" });
	await code.waitFor();
	out.shown.code = await readCode(code);
	await inspector.inspect(page, "tunnel-device");
	await press(shown, "Done");
	await shown.waitFor({ state: "detached" });
	await row(page, "phone").waitFor();
	await sight(page, "tunnel-peers");
}

const wait = 30; // time to sign in at the new address, on a busy machine too

/** move gives the management another address by the old one, looks at it by the new one, and lets it run out. */
async function move(admin, { management, moved }) {
	const site = (address) => ({ baseURL: `https://${address}:3443` });
	const page = await open(site(management));
	await signIn(page, admin);
	await goTo(page, "/interfaces");
	await drawing(page)
		.getByRole("link", { name: /^eth0 / })
		.click();
	await page.getByRole("tab", { name: "IP addresses" }).click();
	await row(page, `${management}/24`)
		.getByRole("button", { name: /^Actions for/ })
		.click();
	await page.getByRole("menuitem", { name: "Edit IP address" }).click();
	const dialog = page.getByRole("dialog", { name: "Edit IP address" });
	await field(dialog, "Address").fill(moved);
	await field(dialog, "Time to confirm").selectOption(String(wait));
	await sight(page, "network-address-form");
	const began = Date.now();
	await press(dialog, "Save");

	const there = await open(site(moved));
	await later(1_000); // until the address is there, which nobody can say at the old one
	await signIn(there, admin);
	const bar = there.locator(".gw-waiting");
	await bar.getByRole("timer").waitFor();
	out.shown.countdown = await bar.getByRole("timer").textContent();
	out.kernel.moved = await kernel("-4 address show dev eth0");
	await inspector.inspect(there, "network-moved");
	await shootBoth(there, "network-moved");
	await there.context().close();

	let back;
	for (const end = began + 3 * wait * 1_000; !back?.ok() && Date.now() < end; ) {
		await later(250);
		back = await page.goto("/interfaces", { timeout: 5_000 }).catch(() => undefined);
	}
	await drawing(page)
		.getByRole("link", { name: /^eth0 / })
		.click();
	await page.getByRole("tab", { name: "IP addresses" }).click();
	await row(page, `${management}/24`).getByText("Live").waitFor();
	out.backAfter = (Date.now() - began) / 1_000 - wait;
	out.kernel.back = await kernel("-4 address show dev eth0");
	await sight(page, "network-moved-back");
}

await scenario(async () => {
	const [{ admin }, names] = [await ask("accounts"), await ask("names")];
	const page = await open();
	await signIn(page, admin);
	await bridge(page, names);
	await address(page, names);
	await route(page, names);
	await stray(page, names);
	await device(page);
	await move(admin, names);
	const { sights, findings } = inspector;
	return { ...out, sights, findings: [...findings] };
}, out);
