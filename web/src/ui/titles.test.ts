import { beforeEach, expect, test } from "vitest";
import { entitle } from "./titles";

/** cell is a text in a box of that width; each letter takes ten pixels. */
function cell(text: string, width: number, title = ""): HTMLElement {
	const box = Object.assign(document.createElement("div"), { title });
	Object.assign(box.style, { overflowX: "hidden", textOverflow: "ellipsis" });
	Object.defineProperty(box, "clientWidth", { get: () => width, configurable: true });
	Object.defineProperty(box, "scrollWidth", { get: () => Math.max(width, text.length * 10), configurable: true });
	const link = Object.assign(document.createElement("a"), { textContent: text });
	box.append(link);
	document.body.append(box);
	return box;
}

beforeEach(() => document.body.replaceChildren());

test.each([
	["a text that does not fit has all of it as its title", cell("www.example.com", 80), "www.example.com"],
	["a text that fits has none", cell("www.example.com", 400), ""],
	["a title that the page gave stays", cell("www.example.com", 80, "a domain"), "a domain"],
])("%s", (_, box, want) => {
	entitle(box.firstElementChild as Element);
	expect(box.title).toBe(want);
});

test("the title goes when the text fits again", () => {
	const box = cell("www.example.com", 80);
	entitle(box.firstElementChild as Element);
	expect(box.title).toBe("www.example.com");
	Object.defineProperty(box, "clientWidth", { get: () => 400 });
	Object.defineProperty(box, "scrollWidth", { get: () => 400, configurable: true });
	entitle(box.firstElementChild as Element);
	expect(box.hasAttribute("title")).toBe(false);
});
