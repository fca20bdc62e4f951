// browser.mjs starts Debian's Chromium for the scripts beside it.
import { readFileSync } from "node:fs";
import { extname } from "node:path";
import { chromium } from "playwright-core";
import { executable } from "../e2e/lib/chromium.mjs";

const types = {
	".html": "text/html",
	".js": "text/javascript",
	".css": "text/css",
	".svg": "image/svg+xml",
	".woff2": "font/woff2",
};
const dist = process.env.WEB_DIST ? `file://${process.env.WEB_DIST}/` : new URL("../dist/", import.meta.url);
const policy =
	"default-src 'self'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'";

export const launch = () =>
	chromium.launch({
		executablePath: executable,
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-dev-shm-usage",
			// A page answered by this script counts as public, and may then not open a WebSocket to localhost.
			"--disable-features=LocalNetworkAccessChecks",
			"--force-color-profile=srgb",
		],
	});

/** open makes a page that collects what must not happen: CSP violations, script errors. */
export async function open(
	browser,
	{ width, height, theme = "light", locale = "en-GB", base, fromDist = false, storageState },
) {
	const context = await browser.newContext({
		viewport: { width, height },
		colorScheme: theme,
		locale,
		baseURL: base,
		storageState,
	});
	if (fromDist) await context.route((url) => !url.pathname.startsWith("/api/"), serve);
	const page = await context.newPage();
	const complaints = [];
	page.on("console", (message) => {
		if (message.type() === "error" && !/status of (400|401|403|404|409|412|429|503)/.test(message.text()))
			complaints.push(message.text());
	});
	page.on("pageerror", (error) => complaints.push(String(error)));
	return { context, page, complaints };
}

/** serve answers with the build on disk, under the server's own policy, so that a rebuild needs no new server. */
function serve(route) {
	const path = new URL(route.request().url()).pathname;
	const name = /^\/(assets\/.+|favicon\.svg)$/.test(path) ? path.slice(1) : "index.html";
	try {
		const body = readFileSync(new URL(name, dist));
		const headers = {
			"content-type": types[extname(name)] ?? "application/octet-stream",
			"content-security-policy": policy,
		};
		return route.fulfill({ body, headers });
	} catch {
		return route.fulfill({ status: 404 });
	}
}

/** signIn goes through the sign-in page, as a person does. */
export async function signIn(page, email, password) {
	await page.goto("/sign-in");
	await page.getByLabel(/^E-Mail/i).fill(email);
	await page.locator('input[name="password"]').fill(password);
	await page.locator('button[type="submit"]').click();
	await page.waitForURL((url) => !url.pathname.startsWith("/sign-in"));
}
