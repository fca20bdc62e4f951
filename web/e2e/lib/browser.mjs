// browser.mjs starts Debian's Chromium and opens watched pages in it.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { executable } from "./chromium.mjs";
import { base, finish, later, note } from "./driver.mjs";
import { follow } from "./quiet.mjs";
import { said, seen, watch } from "./watch.mjs";

const flags = [
	"--no-sandbox",
	"--disable-gpu",
	"--disable-quic",
	"--disable-dev-shm-usage",
	"--disable-background-networking",
	"--disable-component-update",
	"--disable-sync",
	"--no-first-run",
	"--force-color-profile=srgb",
];
export const desktop = { width: 1440, height: 900 };
export const phone = { width: 390, height: 844 };

let browser;
const pages = new Set();

/** open makes a watched page in a context of its own: nobody is signed in there. */
export async function open({ size = desktop, theme = "light", list = seen, ...options } = {}) {
	const context = await browser.newContext({
		baseURL: base,
		ignoreHTTPSErrors: true,
		locale: "en-GB",
		timezoneId: "Europe/Berlin",
		viewport: size,
		colorScheme: theme,
		reducedMotion: "reduce",
		...options,
	});
	context.setDefaultTimeout(30_000);
	await watch(context, list);
	const page = await context.newPage();
	patient(page);
	pages.add(page);
	follow(page);
	page.on("close", () => pages.delete(page));
	return page;
}

/** patient goes to an address again when the network became another one meanwhile, as it does while the lab's is new. */
function patient(page) {
	const goto = page.goto.bind(page);
	page.goto = async (url, options) => {
		for (let tries = 5; ; tries--) {
			try {
				return await goto(url, options);
			} catch (error) {
				if (tries === 0 || !String(error).includes("ERR_NETWORK_CHANGED")) throw error;
				await later(200);
			}
		}
	};
}

/** scenario runs a story and ends with its result, or with what it had by then, why it broke and a picture of where. */
export async function scenario(story, soFar = {}) {
	const home = mkdtempSync(join(tmpdir(), "gateway-web-"));
	const began = Date.now();
	let result;
	try {
		browser = await chromium.launch({
			executablePath: executable,
			args: flags,
			env: { ...process.env, HOME: home },
		});
		result = await story();
	} catch (error) {
		result = { ...soFar, failed: String(error.stack ?? error) };
		await picture().catch(() => {});
	}
	await browser?.close().catch(() => {});
	rmSync(home, { recursive: true, force: true, maxRetries: 3 });
	finish({ ...result, seen, seconds: (Date.now() - began) / 1000 });
}

/** picture keeps what each open page showed when a story broke. */
async function picture() {
	const folder = process.env.WRECKAGE;
	if (!folder) return;
	mkdirSync(folder, { recursive: true });
	note(`the consoles said: ${said.slice(-20).join("\n")}`);
	let n = 0;
	for (const page of pages) {
		const path = join(folder, `${process.env.SCENARIO ?? "page"}-${n++}.png`);
		await page.screenshot({ path, timeout: 3_000 }).catch(() => {});
		const text = await page
			.locator("body")
			.ariaSnapshot({ timeout: 3_000 })
			.catch(() => "");
		note(`${path} shows ${page.url()}\n${text.slice(0, 4_000)}`);
	}
}
