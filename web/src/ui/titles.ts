/** Titles that we gave; all others are the page's own. */
const ours = new WeakSet<Element>();

/** How far up from what is pointed at something may cut it off. */
const steps = 5;

const pen = document.createElement("canvas");

/** lineOf is the one line that a field shows and nobody can scroll: what is chosen, or an example. */
function lineOf(field: Element): string {
	if (field instanceof HTMLSelectElement) return field.selectedOptions[0]?.text ?? "";
	return field instanceof HTMLInputElement && !field.value ? field.placeholder : "";
}

/** isCut says that an element has more text than it shows, and no way to see the rest. */
function isCut(element: HTMLElement): boolean {
	const style = getComputedStyle(element);
	const line = lineOf(element);
	if (line) {
		const drawing = pen.getContext("2d");
		if (!drawing) return false;
		drawing.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
		const room = element.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight);
		return drawing.measureText(line).width > room;
	}
	const oneLine =
		/hidden|clip/.test(style.overflowX) && (style.textOverflow === "ellipsis" || style.whiteSpace === "nowrap");
	return oneLine && element.scrollWidth > element.clientWidth;
}

/** entitle gives the text that is cut off a title with all of it, unless something around it has one. */
export function entitle(target: Element): void {
	let element: Element | null = target;
	for (let n = 0; element instanceof HTMLElement && n < steps; n++, element = element.parentElement) {
		if (element.title && !ours.has(element)) return;
		if (isCut(element)) {
			element.title = (lineOf(element) || element.textContent).replace(/\s+/g, " ").trim();
			ours.add(element);
			return;
		}
		// It was cut off before the window became wider.
		if (ours.has(element)) element.removeAttribute("title");
	}
}

/** startTitles lets every text that does not fit be read by pointing at it; called once. */
export function startTitles(): void {
	document.addEventListener("pointerover", ({ target }) => target instanceof Element && entitle(target), {
		passive: true,
	});
}
