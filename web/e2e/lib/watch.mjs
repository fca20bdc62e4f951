// watch.mjs notices what must not happen in any page of a browser context: violations
// of the Content-Security-Policy, errors, scripts of a stranger, requests elsewhere.
import { base } from "./driver.mjs";

/** Seen is everything noticed so far, in all contexts. */
export const seen = { csp: [], errors: [], dialogs: [], xss: [], foreign: [], forbidden: [] };

/** said is what pages wrote to the console as errors; a refused request is one, so it is no finding. */
export const said = [];

/** inPage runs before every document's own scripts. */
function inPage() {
	document.addEventListener("securitypolicyviolation", (event) => {
		const where = `${location.pathname} ${event.sourceFile ?? ""}:${event.lineNumber ?? 0}`;
		window.__e2eReport("csp", `${event.effectiveDirective} ${event.blockedURI} at ${where}`);
	});
	Object.defineProperty(window, "__xss", {
		set: (value) => void window.__e2eReport("xss", `${value} at ${location.href}`),
		get: () => undefined,
	});
}

/** watch begins to notice. What a test does on purpose goes into a list of its own. */
export async function watch(context, list = seen) {
	await context.exposeBinding("__e2eReport", (_, kind, text) => void list[kind].push(text));
	await context.addInitScript(inPage);
	context.on("console", (message) => {
		if (message.type() === "error") said.push(`${message.page()?.url()}: ${message.text()}`);
		if (/Content Security Policy/i.test(message.text())) list.csp.push(message.text());
	});
	context.on("weberror", (error) => {
		const raised = error.error();
		list.errors.push(`${error.page()?.url()}: ${raised.stack ?? raised}`.slice(0, 600));
	});
	context.on("dialog", (dialog) => {
		if (dialog.type() !== "beforeunload") list.dialogs.push(`${dialog.type()}: ${dialog.message()}`);
		void dialog.accept().catch(() => {});
	});
	context.on("request", (request) => {
		const url = new URL(request.url());
		if (!["data:", "blob:", "about:"].includes(url.protocol) && !isOurs(url)) list.foreign.push(request.url());
	});
	context.on("response", (response) => {
		if (response.status() === 403) list.forbidden.push(`${response.request().method()} ${response.url()}`);
	});
}

// What the corpus asks for is that path, or another host; its text in a path of our own API is only text.
const isOurs = (url) => url.host === new URL(base).host && url.pathname !== "/xss-probe";

/** nothing is an empty list, for a control. */
export const nothing = () => Object.fromEntries(Object.keys(seen).map((name) => [name, []]));
