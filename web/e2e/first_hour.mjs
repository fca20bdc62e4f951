// first_hour.mjs is somebody with a new gateway and no manual: sets it up, publishes a site with a certificate of an
// authority, turns the second factor on, signs in with it and makes a first rule.
import { open, scenario } from "./lib/browser.mjs";
import { ask } from "./lib/driver.mjs";
import { Person } from "./lib/person.mjs";
import { scan } from "./lib/totp.mjs";

const { SITE: site, DIRECTORY: directory, ORIGIN: origin, MONITOR: monitor } = process.env;
const admin = { email: "admin@example.com", password: "Harbour-Lantern-42" };
const out = {};

async function setUp(person) {
	await person.look("Set up this gateway");
	await person.type("Setup code", await ask("setup-code"));
	await person.click("button", "Next");
	await person.look("Name this gateway");
	await person.type("Fully qualified host name", "gw1.example.com");
	await person.click("button", "Next");
	await person.look("Get certificates automatically");
	await person.type("E-mail for the certificate authority", admin.email);
	await person.click("button", "Use another certificate authority");
	await person.type("ACME directory URL", directory);
	await person.tick("I agree to the certificate authority’s terms of service");
	await person.click("button", "Next");
	await person.look("Create the first administrator");
	await person.type("E-mail", admin.email);
	await person.type("Password", admin.password);
	await person.type("Repeat the password", admin.password);
	await person.click("button", "Next");
	await person.look("Review your settings");
	await person.click("button", "Finish setup");
	await person.look("Your gateway is ready");
	await person.click("button", "Go to the dashboard");
	await person.look("Dashboard");
}

async function publish(person) {
	await person.click("link", "Publish a site");
	await person.look("Which domain?");
	await person.type("Name", site);
	await person.click("button", "Next");
	await person.look("Which backend?");
	const [address, port] = origin.split(":");
	await person.type("Address", address);
	await person.type("Port", port);
	await person.click("button", "Next");
	await person.look("Which certificate?");
	await person.click("button", "Next");
	await person.look("Review");
	await person.click("button", "Publish");
	await person.look(`${site} is published`);
	await person.read("Valid");
	await person.look(`${site} is published`, "The certificate is valid");
}

async function secondFactor(person) {
	await person.click("link", "Dashboard");
	await person.read("1 of 5 done");
	await person.read("Serving");
	await person.look("Dashboard");
	await person.click("link", "Set up your second factor");
	await person.look("Set up second factor");
	await person.type("Your password", admin.password);
	await person.click("button", "Continue");
	await person.look("Second factor");
	const factor = await scan(person.page.getByRole("img", { name: "QR code for the authenticator app" }));
	await person.type("Code", await factor.code());
	await person.click("button", "Turn on");
	await person.look("Save your recovery codes");
	await person.tick("I have saved the codes");
	await person.click("button", "Done");
	return factor;
}

async function signInAgain(person, factor) {
	await person.click("button", /^Account menu of/);
	await person.click("menuitem", "Sign out");
	await person.look("Sign in");
	await person.type("E-mail", admin.email);
	await person.type("Password", admin.password);
	await person.click("button", "Sign in");
	await person.read("authenticator");
	await person.look("Sign in", "Sign in: code");
	await person.type("Code", await factor.code());
	await person.click("button", "Sign in");
	await person.look("Dashboard");
}

async function firstRule(person) {
	await person.click("link", "Create the first rule");
	await person.look("Create rule");
	await person.type("Name", "Monitoring reads the metrics");
	await person.choose("Action", "Accept – allow");
	await person.choose("Source zone", "Any zone");
	await person.choose("Destination zone", "Any zone, and the gateway itself");
	await person.type("Source addresses", monitor);
	await person.type("Services", "tcp/9100");
	await person.read(`Accept tcp/9100 from any zone (${monitor}`); // what the rule will do
	await person.look("Create rule", "Create rule: filled in");
	await person.click("button", "Create");
	await person.read("Monitoring reads the metrics was created");
	await person.look("Firewall");
}

/** astray is the same hand on a longer way: what it does is counted too. */
async function astray(person) {
	const before = person.clicks;
	for (const page of ["Certificates", "Audit log", "Dashboard"]) await person.click("link", page);
	await person.read("3 of 5 done");
	await person.look("Dashboard");
	return person.clicks - before;
}

await scenario(async () => {
	const person = new Person(await open());
	await person.begin();
	await person.page.goto("/");
	let factor;
	out.steps = {};
	out.after = {};
	for (const [name, step] of Object.entries({ setUp, publish, secondFactor, signInAgain, firstRule })) {
		const before = person.clicks;
		factor = (await step(person, factor)) ?? factor;
		out.steps[name] = person.clicks - before;
		out.after[name] = await ask("see");
	}
	Object.assign(out, { clicks: person.clicks, heard: person.heard + person.choices, sights: [...person.sights] });
	await ask("done");
	out.astray = await astray(person);
	out.heardAstray = person.heard + person.choices - out.heard;
	return out;
}, out);
