// shots.mjs photographs every page at both sizes and in both themes, for the documentation.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { desktop, open, phone } from "./browser.mjs";
import { later } from "./driver.mjs";
import { goTo } from "./steps.mjs";

const folder = process.env.SHOTS;
const sizes = [desktop, phone];
const themes = ["light", "dark"];

/** nameOf makes a file name of a path, or of what a step is called. */
const nameOf = (text) =>
	text
		.toLowerCase()
		.replace(/[^a-z0-9]+/g, "-")
		.replace(/^-|-$/g, "") || "dashboard";

/** shoot takes a picture. WebP needs a third of what PNG does, which a repository keeps for ever. */
async function shoot(page, name) {
	mkdirSync(folder, { recursive: true });
	const talk = await page.context().newCDPSession(page);
	const { data } = await talk.send("Page.captureScreenshot", { format: "webp", quality: 85 });
	await talk.detach();
	writeFileSync(join(folder, `${name}.webp`), Buffer.from(data, "base64"));
}

/** shootPage takes one picture of the page as it is now, when pictures are wanted. */
export async function shootPage(page, name) {
	if (folder) await shoot(page, nameOf(name));
}

/** traffic is somebody at work, for the charts; it ends with the page. */
const traffic = () =>
	setInterval(() => {
		const share = Math.sin(Date.now() / 6_000) + Math.random();
		if (share > 0) void fetch("/api/v1/openapi.json", { cache: "no-store" });
		if (share > 1) void fetch("/api/v1/openapi.json", { cache: "no-store" });
	}, 400);

/** shootBoth shows the page as it is now in both themes and sizes, when pictures are wanted. */
export async function shootBoth(page, name) {
	if (!folder) return;
	const before = page.viewportSize();
	await page.mouse.move(0, 0); // nothing is hovered
	for (const size of sizes) {
		await page.setViewportSize(size);
		for (const theme of themes) {
			await page.emulateMedia({ colorScheme: theme });
			await later(300);
			await shoot(page, `${nameOf(name)}-${size.width}-${theme}`);
		}
	}
	await page.emulateMedia({ colorScheme: "light" });
	await page.setViewportSize(before);
}

/** shootAll takes each page of somebody signed in, in a window of its own size. */
export async function shootAll(storageState, paths) {
	if (!folder) return;
	const kinds = sizes.flatMap((size) => themes.map((theme) => ({ size, theme })));
	const windows = await Promise.all(kinds.map((kind) => open({ ...kind, storageState })));
	for (const path of paths) {
		for (const page of windows) await goTo(page, path);
		// Charts draw themselves out of what they saw, in all windows at once.
		if (path === "/") await windows[0].evaluate(traffic);
		await later(path === "/" ? 105_000 : 300);
		for (const [n, { size, theme }] of kinds.entries())
			await shoot(windows[n], `${nameOf(path)}-${size.width}-${theme}`);
	}
}
