// chromium.mjs finds the Chromium that scripts start.
import { existsSync } from "node:fs";

/**
 * executable is what CHROMIUM names, else Debian's. Its shell without a window is the same engine without the browser
 * around it, which takes half of the processor that all the pages do.
 */
export const executable =
	process.env.CHROMIUM ??
	["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"].find((path) => existsSync(path)) ??
	"chromium";
