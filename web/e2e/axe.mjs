// axe.mjs shows every page, menu and dialog to axe, in both themes.
import { Inspector } from "./lib/axe.mjs";
import { open, scenario } from "./lib/browser.mjs";
import { ask, base } from "./lib/driver.mjs";
import { Explorer } from "./lib/explore.mjs";
import { fakeSetup, refuseChanges } from "./lib/fakes.mjs";
import { enrol, goTo, pagesOf, setUp, signIn, signOut } from "./lib/steps.mjs";

const unavailable = { data: null, error: { code: "database_unavailable", message: "the database does not answer" } };

await scenario(async () => {
	const inspector = new Inspector();
	const sight = (page) => (name) => inspector.inspect(page, name);
	const { admin, viewer } = await ask("accounts");

	const page = await open();
	await goTo(page, "/sign-in");
	await sight(page)("/sign-in");
	await goTo(page, "/reset-password");
	await sight(page)("/reset-password");

	const fresh = await open();
	await fakeSetup(fresh);
	await goTo(fresh, "/setup");
	const answers = { code: "AAAA-AAAA-AAAA", fqdn: "gw1.example.com", ...admin };
	await setUp(fresh, answers, sight(fresh));
	await fresh.context().close();

	// A viewer with a second factor: the enrolment, the two steps of signing in, and what viewers see.
	await signIn(page, viewer);
	const { factor } = await enrol(page, sight(page));
	await signOut(page);
	await signIn(page, viewer, { factor, moment: sight(page) });
	for (const path of [...(await pagesOf(page)), "/nowhere"]) {
		await goTo(page, path);
		await sight(page)(`viewer ${path}`);
	}

	const mine = await open();
	await signIn(mine, admin);
	await refuseChanges(mine.context());
	const explorer = new Explorer(mine, { onState: sight(mine) });
	for (const path of await pagesOf(mine)) await explorer.walk(path);

	// The session ends under an open page; the server goes away.
	await goTo(mine, "/users");
	await mine.route(`${base}/api/v1/users?**`, (route) => route.fulfill({ status: 503, json: unavailable }));
	await mine.getByRole("searchbox").fill("x");
	await mine.getByText("The database of the gateway does not answer").waitFor();
	await sight(mine)("banner");
	return {
		sights: inspector.sights,
		looks: inspector.looks,
		pressed: explorer.pressed,
		findings: [...inspector.findings],
	};
});
