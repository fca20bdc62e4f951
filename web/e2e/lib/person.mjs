// person.mjs is somebody who sees the product for the first time: a person finds what is used by its role and the words
// on the screen, and nothing else. What the hand does is counted here, and once more by the page.
import { shootPage } from "./shots.mjs";
import { settled } from "./steps.mjs";

/** tabs is how far somebody goes with the keyboard before taking the mouse. */
const tabs = 12;

export class Person {
	/** Presses of a button of the mouse, of Enter, and choices out of a list. */
	clicks = 0;
	/** Choices are made without a press that the page could see. */
	choices = 0;
	/** Presses, as the page heard them. */
	heard = 0;
	/** Names of what was looked at, in order. */
	sights = [];
	/** What pictures of it are called. */
	story = "first-hour";

	constructor(page) {
		this.page = page;
	}

	/** begin has the page tell of every press, whoever made it. */
	async begin() {
		await this.page.context().exposeBinding("__heard", () => {
			this.heard++;
		});
		await this.page.addInitScript(() => {
			document.addEventListener("pointerdown", (event) => event.isTrusted && window.__heard(), true);
			document.addEventListener(
				"keydown",
				(event) => event.isTrusted && event.key === "Enter" && window.__heard(),
				true,
			);
		});
	}

	/** click presses what has this role and name. */
	async click(role, name) {
		this.clicks++;
		await (await this.#find((place) => place.getByRole(role, { name, exact: typeof name === "string" }))).click();
	}

	/** tick checks a box by the words beside it. */
	async tick(words) {
		this.clicks++;
		await this.page.getByLabel(words, { exact: true }).check();
	}

	/** turnOn moves a switch by the words beside it; its input lies under its picture. */
	async turnOn(words) {
		this.clicks++;
		const found = await this.#find((place) => place.getByRole("switch", { name: words, exact: true }));
		await found.check({ force: true });
	}

	/** type writes into a field, which the keyboard leads to; where it does not, the mouse. */
	async type(label, text, { enter = false } = {}) {
		const field = this.#field(label);
		await field.waitFor();
		if (!(await this.#reach(field))) {
			this.clicks++;
			await field.click();
		}
		await this.page.keyboard.press("ControlOrMeta+a");
		await this.page.keyboard.insertText(String(text));
		if (enter) {
			this.clicks++;
			await this.page.keyboard.press("Enter");
		}
	}

	/** choose takes an entry of a list by its words. */
	async choose(label, entry) {
		this.clicks++;
		this.choices++;
		await this.page.getByRole("combobox", { name: label }).selectOption({ label: entry });
	}

	/** read waits for words on the screen. */
	async read(words) {
		await this.page.getByText(words).first().waitFor();
	}

	/** look takes in a page that has come to rest, by a heading that is on it. */
	async look(title, what = title) {
		await this.page.getByRole("heading", { name: title, exact: true }).first().waitFor();
		await settled(this.page);
		const n = String(this.sights.length + 1).padStart(2, "0");
		this.sights.push(`${n} ${what}`);
		await shootPage(this.page, `${this.story}-${n}-${what}`);
	}

	/** find looks where the eye does: at a dialog that is open, else at the page, else at what is around it. */
	async #find(what) {
		await what(this.page).first().waitFor();
		for (const place of [this.page.getByRole("dialog"), this.page.getByRole("main")]) {
			const found = what(place);
			if ((await found.count()) > 0) return found;
		}
		return what(this.page);
	}

	#field(label) {
		const named = { name: label, exact: true };
		// A password has no role; its label is all there is to see of it.
		return this.page
			.getByRole("textbox", named)
			.or(this.page.getByRole("searchbox", named))
			.or(this.page.getByRole("spinbutton", named))
			.or(this.page.getByRole("combobox", named))
			.or(this.page.locator("input[type=password]").and(this.page.getByLabel(label, { exact: true })));
	}

	async #reach(field) {
		const there = () => field.evaluate((element) => element === document.activeElement);
		for (let n = 0; n < tabs; n++) {
			if (await there()) return true;
			await this.page.keyboard.press("Tab");
		}
		return there();
	}
}
