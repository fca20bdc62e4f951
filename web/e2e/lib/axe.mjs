// axe.mjs looks for what keeps people from using a page, in both themes.
import axe from "axe-core";
import { atGate } from "./driver.mjs";

/** What depends on the theme; all else is the same in both. */
export const ofTheme = ["color-contrast", "link-in-text-block"];

/** kinds is what is on the page: each kind of element with the one it stands in, and each dialog by its name. */
function kinds() {
	const of = (e) => `${e.tagName} ${e.getAttribute("role") ?? ""} ${e.getAttribute("class") ?? ""}`;
	const name = (e) => (e.getAttribute("role") === "dialog" ? e.querySelector("h1, h2")?.textContent : "");
	return [...document.querySelectorAll("body *")]
		.filter((e) => e.checkVisibility())
		.map((e) => `${of(e.parentElement)} > ${of(e)} ${e.disabled ?? ""} ${name(e)}`);
}

/** calm waits for the theme, which follows the system's, and ends what still changes its colour. */
async function calm(theme) {
	const isThere = () => document.documentElement.classList.contains("pf-v6-theme-dark") === (theme === "dark");
	for (let n = 0; n < 3 || !isThere(); n++) {
		if (n > 600) throw new Error(`the theme did not become ${theme}`);
		await new Promise(requestAnimationFrame);
		for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
	}
}

/** serious is what axe finds now, as "impact rule at elements: why"; what is less than serious is left out. */
export async function serious(page, theme, options = {}) {
	// Once for each document, and past the policy, as a debugger does.
	if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate(axe.source);
	await page.evaluate(calm, theme);
	const violations = await page.evaluate(
		(options) => window.axe.run({ resultTypes: ["violations"], ...options }).then((found) => found.violations),
		options,
	);
	return violations
		.filter(({ impact }) => impact === "serious" || impact === "critical")
		.flatMap(({ id, impact, nodes }) =>
			nodes.slice(0, 3).map(({ target, failureSummary }) => {
				const why = failureSummary.split("\n")[1]?.trim().slice(0, 160) ?? "";
				return `${impact} ${id} at ${target.join(" ")}: ${why}`;
			}),
		);
}

export class Inspector {
	looks = 0;
	sights = [];
	/** Serious and critical ones, as "theme sight: rule impact at elements". */
	findings = new Set();
	#known = new Set();

	/**
	 * inspect looks at the page as it is now. After a press (its name says on what: "/users > Create") it does so
	 * when there is something that was nowhere before.
	 */
	async inspect(page, name) {
		const fresh = (await page.evaluate(kinds)).filter((kind) => !this.#known.has(kind));
		if (fresh.length === 0 && name.includes(" > ")) return;
		for (const kind of fresh) this.#known.add(kind);
		const nth = this.sights.push(name); // others look at the same time
		await this.#look(page, name, "light", {});
		// At the gate every other sight is enough: the colours of the dark theme are the same ones everywhere.
		if (atGate && nth % 2 === 0) return;
		await page.emulateMedia({ colorScheme: "dark" });
		await this.#look(page, name, "dark", { runOnly: ofTheme });
		await page.emulateMedia({ colorScheme: "light" });
	}

	async #look(page, name, theme, options) {
		this.looks++;
		for (const finding of await serious(page, theme, options)) this.findings.add(`${theme} ${name}: ${finding}`);
	}
}
