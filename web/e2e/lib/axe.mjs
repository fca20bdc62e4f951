// axe.mjs looks for what keeps people from using a page, in both themes.
import axe from "axe-core";

/** What depends on the theme; all else is the same in both. */
const ofTheme = ["color-contrast", "link-in-text-block"];

/** kinds is what is on the page: each kind of element with the one it stands in. */
const kinds = () => [
	...new Set(
		[...document.querySelectorAll("body *")]
			.filter((e) => e.checkVisibility())
			.map((e) => {
				const of = (one) => `${one.tagName} ${one.getAttribute("role") ?? ""} ${one.getAttribute("class") ?? ""}`;
				return `${of(e.parentElement)} > ${of(e)} ${e.disabled ?? ""}`;
			}),
	),
];

/** calm ends what still changes its colour; a theme takes a frame or two to begin with it. */
async function calm() {
	for (let n = 0; n < 3; n++) {
		await new Promise(requestAnimationFrame);
		for (const animation of document.getAnimations()) if (animation instanceof CSSTransition) animation.finish();
	}
}

export class Inspector {
	looks = 0;
	sights = [];
	/** Serious and critical ones, as "theme sight: rule impact at elements". */
	findings = new Set();
	#known = new Set();

	/** inspect looks at the page as it is now, when there is something on it that was nowhere before. */
	async inspect(page, name) {
		const fresh = (await page.evaluate(kinds)).filter((kind) => !this.#known.has(kind));
		if (fresh.length === 0) return;
		for (const kind of fresh) this.#known.add(kind);
		this.sights.push(name);
		// Once for each document, and past the policy, as a debugger does.
		await page.evaluate(`window.axe || (() => { ${axe.source} })()`);
		await this.#look(page, name, "light", {});
		await page.emulateMedia({ colorScheme: "dark" });
		await this.#look(page, name, "dark", { runOnly: ofTheme });
		await page.emulateMedia({ colorScheme: "light" });
	}

	async #look(page, name, theme, options) {
		this.looks++;
		await page.evaluate(calm);
		const violations = await page.evaluate(
			(options) => window.axe.run({ resultTypes: ["violations"], ...options }).then((found) => found.violations),
			options,
		);
		for (const { id, impact, nodes } of violations) {
			if (impact !== "serious" && impact !== "critical") continue;
			for (const { target, failureSummary } of nodes.slice(0, 3)) {
				const why = failureSummary.split("\n")[1]?.trim().slice(0, 160) ?? "";
				this.findings.add(`${theme} ${name}: ${impact} ${id} at ${target.join(" ")}: ${why}`);
			}
		}
	}
}
