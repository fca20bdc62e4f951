// lan_services.mjs is somebody with a new gateway and an office: gives its network addresses, names, a way to the
// internet and sign-ins, by what is written on the pages.
import { Inspector } from "./lib/axe.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { Person } from "./lib/person.mjs";

const { NODE: node, POOL: pool, DOMAIN: domain, LAPTOP: laptop } = process.env;
const { USER_NAME: user, PASSWORD: password, AP: ap, SECRET: secret } = process.env;
const admin = { email: "admin@example.com", password: "Harbour-Lantern-42" };
const out = { steps: {}, after: {}, shown: {} };
const inspector = new Inspector();

/** Operator is a person whose sights are looked at by axe, too. */
class Operator extends Person {
	story = "lan";

	async look(title, what = title) {
		await super.look(title, what);
		await inspector.inspect(this.page, what);
	}

	/** service goes to the page of a service, and by its notice to the switch. */
	async service(page, name, saved) {
		await this.click("link", "Open its settings");
		await this.turnOn(name);
		await this.look(page, `${page}: settings`);
		await this.click("button", "Save");
		await this.read(saved);
	}
}

async function setUp(person) {
	await person.look("Set up this gateway");
	await person.type("Setup code", await ask("setup-code"));
	await person.click("button", "Next");
	await person.type("Fully qualified host name", "gw1.example.com");
	await person.click("button", "Next");
	await person.click("button", "Skip for now");
	await person.type("E-mail", admin.email);
	await person.type("Password", admin.password);
	await person.type("Repeat the password", admin.password);
	await person.click("button", "Next");
	await person.click("button", "Finish setup");
	await person.look("Your gateway is ready");
	await person.click("button", "Go to the dashboard");
	await person.look("Dashboard");
}

async function zones(person) {
	await person.click("link", "Interfaces");
	await person.look("Interfaces");
	for (const [link, zone] of [
		["eth0", "lan"],
		["eth1", "wan"],
	]) {
		await person.click("button", `Assign ${link} to a zone`);
		await person.look("Add interface", `Add interface: ${zone}`);
		await person.choose("Zone", zone);
		await person.click("button", "Create");
		await person.read(`${link} was added`);
	}
	await person.look("Interfaces", "Interfaces in zones");
}

async function addresses(person) {
	await person.click("link", "DHCP");
	await person.look("DHCP", "DHCP: nothing yet");
	await person.click("button", "Create subnet");
	await person.look("Create subnet");
	await person.choose("Interface", "eth0 (lan)");
	await person.type("Pools", pool);
	await person.type("DNS servers", node);
	await person.type("Domain", domain);
	await person.turnOn("Names in DNS");
	await person.look("Create subnet", "Create subnet: filled in");
	await person.click("button", "Create");
	await person.read("was created");
	await person.look("DHCP", "DHCP: a subnet");
	await person.service("DHCP", "Run the DHCP server", "DHCP settings saved");
}

async function names(person) {
	await person.click("link", "DNS");
	await person.look("DNS");
	await person.click("tab", "Settings");
	await person.type("Listen addresses", `127.0.0.1\n::1\n${node}`);
	await person.look("DNS", "DNS: settings");
	await person.click("button", "Save");
	await person.click("button", "Confirm");
	await person.read("The change is confirmed");
}

async function proxy(person) {
	await person.click("link", "Forward proxy");
	await person.look("Forward proxy");
	await person.service("Forward proxy", "Run the forward proxy", "Forward proxy settings saved");
	await person.look("Forward proxy", "Forward proxy: running");
}

async function signIns(person) {
	await person.click("link", "RADIUS");
	await person.look("RADIUS", "RADIUS: nothing yet");
	await person.click("button", "Add user");
	await person.type("Name", user);
	await person.type("Password", password);
	await person.look("Add user");
	await person.click("button", "Create");
	await person.read(`${user} was added`);
	await person.click("tab", "Clients");
	await person.click("button", "Add client");
	await person.type("Name", "ap-1");
	await person.type("Address or network", ap);
	await person.type("Shared secret", secret);
	await person.look("Add client");
	await person.click("button", "Create");
	await person.read("ap-1 was added");
	await person.service("RADIUS", "Run the RADIUS server", "RADIUS settings saved");
	await person.click("button", "Test a sign-in");
	await person.type("User", user);
	await person.type("Password", password);
	await person.type("Address of the device", ap);
	await person.click("button", "Test");
	await person.read("The server lets this user in.");
	out.shown.test = await person.page.getByText("The server lets this user in.").textContent();
	await person.look("Test a sign-in", "Test a sign-in: accepted");
	await person.click("button", "Close");
}

/** after is what the pages then show of the people on the network. */
async function after(person) {
	const row = (words) => person.page.getByRole("row").filter({ hasText: words }).first().textContent();
	await person.click("tab", "Sign-ins");
	await person.read("ap-1");
	out.shown.signIn = await row("ap-1");
	await person.look("RADIUS", "RADIUS: sign-ins");
	await person.click("link", "DHCP");
	await person.read(laptop);
	out.shown.lease = await row(laptop);
	await person.look("DHCP", "DHCP: leases");
	await person.click("link", "Dashboard");
	await person.look("Dashboard", "Dashboard: at the end");
}

await scenario(async () => {
	const person = new Operator(await open());
	await person.begin();
	await person.page.goto("/");
	for (const [name, step] of Object.entries({ setUp, zones, addresses, names, proxy, signIns })) {
		const before = person.clicks;
		await step(person);
		out.steps[name] = person.clicks - before;
		out.after[name] = await ask("see");
	}
	Object.assign(out, { clicks: person.clicks, heard: person.heard + person.choices });
	await ask("done");
	await after(person);
	const { looks, findings } = inspector;
	return { ...out, sights: [...person.sights], looks, findings: [...findings] };
}, out);
