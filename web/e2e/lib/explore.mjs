// explore.mjs presses everything that can be pressed on a page: buttons, switches, tabs
// and menus, and what is in the layers (menus, dialogs) that open by it.
import { note } from "./driver.mjs";
import { quiet } from "./quiet.mjs";
import { busy, goTo } from "./steps.mjs";

const layers = '[role="dialog"], .pf-v6-c-menu, .pf-v6-c-popover';
const pressable =
	'button, summary, input[type="checkbox"], [role="button"], [role="menuitem"], [role="tab"], [role="option"]';

/** look lists what there is of some kind in the top layer, and keeps the elements for elementOf. */
function look([layers, wanted]) {
	const visible = (e) => e.checkVisibility({ visibilityProperty: true }) && e.getClientRects().length > 0;
	const isOff = (e) => e.disabled || e.readOnly || e.getAttribute("aria-disabled") === "true" || e.closest("[inert]");
	const open = [...document.querySelectorAll(layers)].filter(visible);
	const outer = open.filter((one) => !open.some((other) => other !== one && other.contains(one)));
	const words = (e) =>
		[e.getAttribute("aria-label"), e.textContent, e.labels?.[0]?.textContent, e.title, e.id].find((text) =>
			text?.trim(),
		);
	const rowOf = (e) => {
		const row = e.closest("tbody tr, li:not([role])");
		return row ? [...row.parentElement.children].filter((one) => !one.ariaHidden).indexOf(row) : 0;
	};
	window.__e2e = [...(outer.at(-1) ?? document.body).querySelectorAll(wanted)].filter((e) => visible(e) && !isOff(e));
	return {
		depth: outer.length,
		items: window.__e2e.map((e, index) => ({
			index,
			name: (words(e) ?? "").trim().replace(/\s+/g, " ").slice(0, 60),
			row: rowOf(e),
			shell: Boolean(e.closest("header, nav")),
			tab: e.getAttribute("role") === "tab",
			field: e.name || e.ariaLabel || e.labels?.[0]?.textContent || e.placeholder || "",
		})),
	};
}

/** lookFor lists what fits a selector and can be used now; a later look forgets the elements of this one. */
export const lookFor = (page, wanted) => page.evaluate(look, [layers, wanted]);

/** elementOf is the one that the last look gave this number. */
export const elementOf = async (page, index) => (await page.evaluateHandle((i) => window.__e2e[i], index)).asElement();

// Names differ by the row they are in; what they do does not. Two rows are enough.
const kind = ({ name, row }) => `${name.replace(/^(Actions for|Account menu of) .*/, "$1")}#${Math.min(row, 2)}`;

/** What would end the walk, or change the words by which everything is found. */
const never = /^(Sign out|Load the new version|Skip to content|English|Deutsch|Light|Dark|System$|Print)/;

export class Explorer {
	/** onState is called at each new sight, with its name. What matches skip would end the walk. */
	constructor(page, { onState, skip = never, deepest = 3, most = 40, shell = new Set() }) {
		Object.assign(this, { page, onState, skip, deepest, most, pressed: 0, shell });
	}

	/** walk explores one page. What is in the shell around all pages is pressed once only. */
	async walk(path) {
		this.path = path;
		this.seen = new Set();
		await goTo(this.page, path);
		await this.onState(path);
		await this.level([], 0);
	}

	look = () => lookFor(this.page, pressable);

	/** level presses everything in one layer: the page itself, or the one that the chain of presses opened. */
	async level(chain, depth) {
		for (let n = 0; n < this.most; n++) {
			const { items, depth: there } = await this.look();
			if (there < depth) return;
			const fits = (item) => item.row < 2 && !this.skip.test(item.name) && this.isNew(chain, item);
			// What is on a tab comes before the next tab.
			const next = items.find((item) => !item.tab && fits(item)) ?? items.find(fits);
			if (!next) return;
			if (chain.length === 0) this.place = this.page.url();
			if (!(await this.press(next))) {
				// Something came late and covers it.
				await this.page.keyboard.press("Escape");
				await quiet(this.page, 300);
				const again = (await this.look()).items.find((item) => kind(item) === kind(next));
				if (!again || !(await this.press(again))) continue;
			}
			const moved = this.moved();
			if (!moved) await this.onState([this.path, ...[...chain, next].map((item) => item.name)].join(" > "));
			const { depth: now } = await this.look();
			if (!moved && now > depth && chain.length < this.deepest) await this.level([...chain, next], now);
			if (!(await this.back(chain, depth))) return;
		}
	}

	moved = () => new URL(this.page.url()).pathname !== this.path;

	isNew(chain, item) {
		const set = (chain[0] ?? item).shell ? this.shell : this.seen;
		const key = [...chain, item].map(kind).join(">");
		if (set.has(key)) return false;
		set.add(key);
		return true;
	}

	async press({ index, name }) {
		this.pressed++;
		const element = await elementOf(this.page, index);
		try {
			// A switch's input lies under its picture.
			if (await element.evaluate((e) => e.matches('input[type="checkbox"]'))) await element.evaluate((e) => e.click());
			else await element.click({ timeout: 2_000 });
		} catch (error) {
			const why = String(error).match(/<.*intercepts pointer events/)?.[0] ?? String(error).split("\n")[0];
			note(`${this.page.url()}: ${name} cannot be pressed: ${why}`);
			return false;
		}
		await quiet(this.page, 200);
		// A dialog's own code, or what it shows, may still be on its way.
		if (this.page.url().includes("do="))
			await this.page
				.getByRole("dialog")
				.waitFor({ timeout: 5_000 })
				.catch(() => {});
		await this.page
			.waitForFunction((busy) => !document.querySelector(`[role="dialog"] :is(${busy})`), busy, { timeout: 5_000 })
			.catch(() => {});
		return true;
	}

	/** back closes what was opened since, or begins anew and presses its way to the same place. */
	async back(chain, depth) {
		for (let n = 0; n < 2 && !this.moved() && (await this.look()).depth > depth; n++) {
			await this.page.keyboard.press("Escape");
			await quiet(this.page);
		}
		if (!this.moved() && (await this.look()).depth === depth) return true;
		await goTo(this.page, this.place);
		for (const step of chain) {
			const again = (await this.look()).items.find((item) => kind(item) === kind(step));
			if (!again || !(await this.press(again))) return false;
		}
		return true;
	}
}

/** walkAll explores all pages in several windows at once, because a walk is mostly waiting, and counts what was pressed. */
export async function walkAll(windows, paths, optionsOf) {
	const [rest, shell] = [[...paths], new Set()];
	const explorers = windows.map((page) => new Explorer(page, { ...optionsOf(page), shell }));
	await Promise.all(
		explorers.map(async (explorer) => {
			for (let path = rest.shift(); path; path = rest.shift()) await explorer.walk(path);
		}),
	);
	return explorers.reduce((sum, { pressed }) => sum + pressed, 0);
}
