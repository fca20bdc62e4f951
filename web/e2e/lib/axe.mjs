// axe.mjs looks for what keeps people from using a page, in both themes.
import AxeBuilder from "@axe-core/playwright";

/** What depends on the theme; all else is the same in both. */
const ofTheme = ["color-contrast", "link-in-text-block"];

/** signature tells sights apart: the same elements with other words need no second look. */
const signature = () =>
	[...document.querySelectorAll("body *")]
		.filter((e) => e.checkVisibility())
		.map((e) => `${e.tagName}${e.getAttribute("role") ?? ""}${e.getAttribute("class") ?? ""}${e.disabled ?? ""}`)
		.join("")
		.replace(/\d+/g, "");

export class Inspector {
	looks = 0;
	sights = [];
	/** Serious and critical ones, as "theme sight: rule impact at elements". */
	findings = new Set();
	#known = new Set();

	/** inspect looks at the page as it is now. */
	async inspect(page, name) {
		const sight = await page.evaluate(signature);
		if (this.#known.has(sight)) return;
		this.#known.add(sight);
		this.sights.push(name);
		await this.#look(page, name, "light", (axe) => axe);
		await page.emulateMedia({ colorScheme: "dark" });
		await this.#look(page, name, "dark", (axe) => axe.withRules(ofTheme));
		await page.emulateMedia({ colorScheme: "light" });
	}

	async #look(page, name, theme, how) {
		this.looks++;
		// Otherwise it opens a page of its own, and ours does not come back to the front.
		const { violations } = await how(new AxeBuilder({ page }).setLegacyMode(true)).analyze();
		for (const { id, impact, nodes } of violations) {
			if (impact !== "serious" && impact !== "critical") continue;
			for (const { target, failureSummary } of nodes.slice(0, 3)) {
				const why = failureSummary.split("\n")[1]?.trim().slice(0, 160) ?? "";
				this.findings.add(`${theme} ${name}: ${impact} ${id} at ${target.join(" ")}: ${why}`);
			}
		}
	}
}
