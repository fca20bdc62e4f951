// shots.mjs photographs every page at both sizes and in both themes, for the documentation.
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { desktop, open, phone } from "./browser.mjs";
import { goTo } from "./steps.mjs";

const folder = process.env.SHOTS;

/** shoot takes a picture when pictures are wanted. */
export async function shoot(page, name) {
	if (!folder) return;
	mkdirSync(folder, { recursive: true });
	const path = join(folder, `${name}.png`);
	await page.screenshot({ path, animations: "disabled", caret: "hide" });
	// Fewer colours look the same and take a third of the space; without the program they stay as they are.
	await promisify(execFile)("pngquant", [
		"--force",
		"--skip-if-larger",
		"--ext",
		".png",
		"--quality",
		"80-98",
		path,
	]).catch(() => {});
}

const sizes = [desktop, phone];
const nameOf = (path) => path.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "") || "dashboard";

/** shootBoth shows the page as it is now in both themes and sizes. */
export async function shootBoth(page, name) {
	if (!folder) return;
	const before = page.viewportSize();
	for (const size of sizes) {
		await page.setViewportSize(size);
		for (const theme of ["light", "dark"]) {
			await page.emulateMedia({ colorScheme: theme });
			await page.waitForTimeout(150);
			await shoot(page, `${name}-${size.width}-${theme}`);
		}
	}
	await page.emulateMedia({ colorScheme: "light" });
	await page.setViewportSize(before);
}

/** shootAll takes each page of somebody signed in, in a window of its own size. */
export async function shootAll(storageState, paths) {
	if (!folder) return;
	for (const size of sizes) {
		for (const theme of ["light", "dark"]) {
			const page = await open({ size, theme, storageState });
			for (const path of paths) {
				await goTo(page, path);
				// Charts draw themselves out of what they saw.
				await page.waitForTimeout(path === "/" ? 6_000 : 300);
				await shoot(page, `${nameOf(path)}-${size.width}-${theme}`);
			}
			await page.context().close();
		}
	}
}
