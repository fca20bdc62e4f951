// policy.mjs visits every page under the Content-Security-Policy, and shows that a
// script from elsewhere would have been stopped and counted.
import { open, scenario } from "./lib/browser.mjs";
import { ask, later } from "./lib/driver.mjs";
import { goTo, pagesOf, signIn } from "./lib/steps.mjs";
import { nothing } from "./lib/watch.mjs";

await scenario(async () => {
	const { admin } = await ask("accounts");
	const page = await open();
	const paths = ["/sign-in", "/reset-password"];
	for (const path of paths) await goTo(page, path);
	await signIn(page, admin);
	const all = await pagesOf(page);
	for (const path of [...all, "/nowhere"]) await goTo(page, path);
	const header = await page.evaluate(() => fetch("/").then((r) => r.headers.get("content-security-policy")));

	const list = nothing();
	const control = await open({ list });
	await goTo(control, "/sign-in");
	await control.addScriptTag({ content: "window.__xss = 'inline script'" }).catch(() => {});
	await control.addStyleTag({ content: "body { color: red }" }).catch(() => {});
	await control.evaluate(() => {
		document.body.insertAdjacentHTML("beforeend", '<img src=x onerror="window.__xss = 1"><p style="color:red">x</p>');
	});
	await control.evaluate(() => document.body.append(Object.assign(new Image(), { src: "https://192.0.2.1/x.png" })));
	await later(300);
	return { pages: paths.length + all.length + 1, header, control: list.csp.length, ran: list.xss.length };
});
