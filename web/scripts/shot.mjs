// shot.mjs photographs pages of a running gateway-api at 1440 and 390 px, light and
// dark, and runs axe on each. It ends with an error on a serious finding.
//
//   node scripts/shot.mjs --base http://localhost:8080 --email a@b.c --password … [--dist] [--out shots] /users /sign-in
//
// Chromium takes the __Host- cookies on http://localhost (not on 127.0.0.1). --dist
// serves the files of dist/ instead of the server's, for a quick look after a build.
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import axe from "axe-core";
import { launch, open, signIn } from "./browser.mjs";

const { values, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		base: { type: "string", default: "http://localhost:8080" },
		email: { type: "string" },
		password: { type: "string" },
		out: { type: "string", default: "shots" },
		locale: { type: "string", default: "en-GB" },
		dist: { type: "boolean", default: false },
		full: { type: "boolean", default: false },
	},
});
const sizes = [
	[1440, 900],
	[390, 844],
];
mkdirSync(values.out, { recursive: true });
const browser = await launch();
let bad = 0;
let storageState;
if (values.email) {
	const { page, context } = await open(browser, { width: 1440, height: 900, base: values.base, fromDist: values.dist });
	await signIn(page, values.email, values.password);
	storageState = await context.storageState();
	await context.close();
}
for (const theme of ["light", "dark"]) {
	for (const [width, height] of sizes) {
		const options = {
			width,
			height,
			theme,
			base: values.base,
			fromDist: values.dist,
			locale: values.locale,
			storageState,
		};
		const { page, context, complaints } = await open(browser, options);
		for (const path of positionals) {
			await page.goto(path);
			await page.waitForLoadState("networkidle");
			await page.waitForTimeout(300);
			const name = `${path.replace(/[^a-z0-9]+/gi, "-").replace(/^-|-$/g, "") || "home"}-${width}-${theme}`;
			await page.screenshot({ path: `${values.out}/${name}.png`, fullPage: values.full });
			await page.evaluate(axe.source);
			const { violations } = await page.evaluate(() => window.axe.run({ resultTypes: ["violations"] }));
			for (const { id, impact, nodes } of violations) {
				if (impact === "serious" || impact === "critical") bad++;
				console.log(
					`${name}: axe ${impact} ${id}: ${nodes
						.map((node) => node.target.join(" "))
						.slice(0, 3)
						.join(" | ")}`,
				);
			}
			for (const text of complaints.splice(0)) {
				bad++;
				console.log(`${name}: ${text}`);
			}
			console.log(`${name}.png`);
		}
		await context.close();
	}
}
await browser.close();
process.exit(bad > 0 ? 1 : 0);
