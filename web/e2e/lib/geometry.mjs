// geometry.mjs finds what a page's layout does wrong: texts and controls that lie over each other, texts that are cut off
// with no way to read them, and what scrolls sideways. measure runs in the page and sees nothing but what it has there.

/** measure answers { overlaps, cut, sideways }: sentences, each with what was found and where. */
export function measure() {
	const found = { overlaps: new Set(), cut: new Set(), sideways: new Set() };
	/** once remembers what was found out about an element: all of it is asked for again by its children. */
	const once = (of) => {
		const known = new Map();
		return (e) => {
			if (!known.has(e)) known.set(e, of(e));
			return known.get(e);
		};
	};
	const style = once((e) => getComputedStyle(e));
	const place = once((e) => e.getBoundingClientRect());
	const up = (e) => e.parentElement;
	const clips = (e, axis) => /hidden|clip/.test(style(e)[`overflow${axis}`]);
	const scrolls = (e, axis) => /auto|scroll/.test(style(e)[`overflow${axis}`]);

	/** What may scroll sideways: code, and what says so. */
	const wide = "pre, code, textarea, input, .cm-scroller, [data-wide]";

	/** A layer lies over the rest on purpose: a bar, a dialog, a menu, the navigation of a small screen. */
	const isLayer = (e) => {
		const { position, zIndex } = style(e);
		if (e.matches('[role="dialog"]') || position === "fixed" || position === "sticky") return true;
		return position !== "static" && Number(zIndex) >= 100;
	};
	const scrollsDown = (e) => scrolls(e, "Y") && e.scrollHeight > e.clientHeight + 1;

	/** group is what an element is laid out in: its layer, what scrolls it, or the page. */
	const group = once((e) => (e === document.documentElement || isLayer(e) || scrollsDown(e) ? e : group(up(e))));

	const name = (e) => {
		const words = (e.getAttribute("aria-label") ?? e.textContent ?? "").trim().replace(/\s+/g, " ").slice(0, 40);
		const by = [...e.classList]
			.slice(0, 2)
			.map((one) => `.${one}`)
			.join("");
		const parent = up(e)
			? [...up(e).classList]
					.slice(0, 1)
					.map((one) => `.${one} > `)
					.join("")
			: "";
		return `${parent}${e.tagName.toLowerCase()}${by} “${words}”`;
	};

	/** forReaders is what only a screen reader meets. */
	const forReaders = once((e) => {
		if (e === document.body) return false;
		const { clipPath, clip, opacity } = style(e);
		if (opacity === "0" || clip === "rect(0px, 0px, 0px, 0px)" || clipPath === "inset(50%)") return true;
		if (clips(e, "X") && place(e).width <= 1) return true;
		return forReaders(up(e));
	});
	const visible = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true }) && !forReaders(e);

	/** frames are what may hide a part of an element, from the inside out. */
	const frames = once((e) => {
		if (e === document.documentElement) return [];
		const outer = frames(up(e));
		const { display, position, overflowX, overflowY } = style(e);
		if (display === "inline" || display === "contents" || `${overflowX}${overflowY}` === "visiblevisible")
			return position === "fixed" ? [] : outer;
		return position === "fixed" ? [e] : [e, ...outer];
	});

	/** shown is the part of a rectangle that is left by what clips inside of the group. */
	const shown = (rect, e, within) => {
		let { left, right, top, bottom } = rect;
		for (const at of frames(e)) {
			if (at === within || !within.contains(at)) break;
			const box = place(at);
			if (style(at).overflowX !== "visible") [left, right] = [Math.max(left, box.left), Math.min(right, box.right)];
			if (style(at).overflowY !== "visible") [top, bottom] = [Math.max(top, box.top), Math.min(bottom, box.bottom)];
		}
		return { left, right, top, bottom };
	};

	/** titled says that the whole text can be read by pointing at it, which may be what gives it its title. */
	const titled = (e) => {
		e.dispatchEvent(new PointerEvent("pointerover", { bubbles: true }));
		for (let at = e, n = 0; at && n < 7; at = up(at), n++) {
			if (at.getAttribute("title")?.trim()) return true;
			if (at.matches("td, th, li, dd, section, [role=row]")) return false;
		}
		return false;
	};

	/** isCut says that something clips a part of a rectangle, which cannot be scrolled to. */
	const isCut = (rect, e) => {
		let [x, y] = [true, true];
		for (const at of frames(e)) {
			const box = place(at);
			if (x && clips(at, "X") && (rect.right > box.right + 1.5 || rect.left < box.left - 1.5)) return true;
			if (y && clips(at, "Y") && (rect.bottom > box.bottom + 4 || rect.top < box.top - 4)) return true;
			if (scrolls(at, "X")) x = false;
			if (scrolls(at, "Y")) y = false;
		}
		return false;
	};

	/** A field shows one line; words that do not fit in cannot be read: those of an example, and those that are chosen. */
	const pen = document.createElement("canvas").getContext("2d");
	const tooNarrow = (e) => {
		const text = e.tagName === "SELECT" ? e.selectedOptions[0]?.text : e.value ? "" : e.placeholder;
		if (!text || e.tagName === "TEXTAREA") return false;
		const { fontStyle, fontWeight, fontSize, fontFamily, paddingLeft, paddingRight } = style(e);
		pen.font = `${fontStyle} ${fontWeight} ${fontSize} ${fontFamily}`;
		return (
			pen.measureText(text).width > e.clientWidth - Number.parseFloat(paddingLeft) - Number.parseFloat(paddingRight) + 2
		);
	};

	/** inner is where the words or the picture of a control are; the room around them may be cut. */
	const inner = (e) => {
		const { left, right, top, bottom } = place(e);
		const { paddingLeft, paddingRight, paddingTop, paddingBottom } = style(e);
		const [l, r, t, b] = [paddingLeft, paddingRight, paddingTop, paddingBottom].map(Number.parseFloat);
		return { left: left + l, right: right - r, top: top + t, bottom: bottom - b };
	};

	const json = ({ left, right, top, bottom }) => ({ left, right, top, bottom });
	const boxes = new Map();
	const add = (e, rect, kind, within = group(e)) => {
		const part = shown(rect, e, within);
		if (part.right - part.left < 1 || part.bottom - part.top < 1) return;
		if (!boxes.has(within)) boxes.set(within, []);
		boxes.get(within).push({ e, kind, ...part });
	};

	const controls = 'button, a[href], input, select, textarea, summary, [role="switch"], [role="button"]';
	for (const e of document.body.querySelectorAll("*")) {
		if (e.closest("svg, canvas, option, .uplot canvas") || !visible(e)) continue;
		const { display } = style(e);
		if (scrolls(e, "X") && e.scrollWidth > e.clientWidth + 1 && display !== "inline" && !e.closest(wide))
			found.sideways.add(`${name(e)} is ${e.scrollWidth - e.clientWidth} px wider than it shows`);
		if (scrollsDown(e) && !isLayer(e)) add(e, place(e), "region", group(up(e)));
		if (e.matches(controls) && display !== "inline") {
			add(e, place(e), "control");
			if (isCut(inner(e), e) && !titled(e)) found.cut.add(`control ${name(e)}`);
			if (e.matches("input, select") && tooNarrow(e) && !titled(e))
				found.cut.add(
					`field ${name(e)} of “${e.labels?.[0]?.textContent ?? e.name}”: ${e.placeholder ?? ""}${e.selectedOptions?.[0]?.text ?? ""}`,
				);
		}
		if (e.matches("input, select, textarea")) continue;
		for (const node of e.childNodes) {
			if (node.nodeType !== Node.TEXT_NODE || !node.data.trim()) continue;
			const range = document.createRange();
			range.selectNodeContents(node);
			for (const rect of range.getClientRects()) {
				if (rect.width < 1) continue;
				if (isCut(rect, e) && !titled(e)) found.cut.add(`text ${name(e)}`);
				add(e, rect, "text");
			}
		}
	}

	const related = (a, b) => a.e === b.e || a.e.contains(b.e) || b.e.contains(a.e);
	/** Lines of text stand closer than their letters are high. */
	const collide = (a, b) => {
		const x = Math.min(a.right, b.right) - Math.max(a.left, b.left);
		const y = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
		const least = Math.min(a.bottom - a.top, b.bottom - b.top);
		return x > 2 && y > (a.kind === "text" || b.kind === "text" ? Math.max(2, least * 0.35) : 2);
	};
	/** A field's own button or icon lies in it, and a label over the control that it is for. */
	const belongs = (a, b) => {
		const frame = a.e.closest(
			".pf-v6-c-form-control, .pf-v6-c-switch, .pf-v6-c-input-group, .pf-v6-c-text-input-group, label",
		);
		return Boolean(frame?.contains(b.e));
	};
	for (const all of boxes.values()) {
		all.sort((a, b) => a.top - b.top);
		for (let i = 0; i < all.length; i++)
			for (let n = i + 1; n < all.length && all[n].top < all[i].bottom; n++) {
				const [a, b] = [all[i], all[n]];
				if (collide(a, b) && !related(a, b) && !belongs(a, b))
					found.overlaps.add(`${a.kind} ${name(a.e)} and ${b.kind} ${name(b.e)}`);
			}
	}

	// A bar may lie over the page while it scrolls, not over what is there when it cannot be scrolled any further.
	const scroller = document.getElementById("main") ?? document.scrollingElement;
	const modal = document.querySelector('[role="dialog"], .gw-nav-shade');
	const before = scroller.scrollTop;
	for (const low of [false, true]) {
		scroller.scrollTop = low ? scroller.scrollHeight : 0;
		const under = boxes.get(group(scroller)) ?? [];
		for (const layer of boxes.keys()) {
			const box = layer.getBoundingClientRect();
			if (modal || !isLayer(layer) || box.height === 0 || low !== box.top + box.height / 2 > innerHeight / 2) continue;
			for (const { e, kind } of under) {
				const rect = e.getBoundingClientRect();
				if (
					kind !== "region" &&
					rect.height > 0 &&
					collide({ ...json(box), kind }, { ...json(rect), kind }) &&
					!e.contains(layer)
				)
					found.overlaps.add(`bar ${name(layer)} over ${name(e)}`);
			}
		}
	}
	scroller.scrollTop = before;

	const root = document.scrollingElement;
	if (root.scrollWidth > root.clientWidth)
		found.sideways.add(`the page is ${root.scrollWidth - root.clientWidth} px too wide`);
	return Object.fromEntries(Object.entries(found).map(([what, all]) => [what, [...all]]));
}

/**
 * plant puts one fault of each kind into the page, which measure has to find; a text with a title is none. What the
 * page itself would do about a text that is cut off does not come to know of these.
 */
export function plant() {
	const main = document.getElementById("main") ?? document.body;
	const add = (text, css, title = "") => {
		const e = Object.assign(document.createElement("p"), { textContent: text, title, className: "planted" });
		Object.assign(e.style, css);
		e.addEventListener("pointerover", (event) => event.stopPropagation());
		main.querySelector("h1").after(e);
	};
	const narrow = { width: "60px", overflow: "hidden", whiteSpace: "nowrap", textOverflow: "ellipsis" };
	add("planted words that do not fit into so little space", narrow);
	add("planted words with a title that do not fit either", narrow, "planted words with a title");
	add("planted wide", { width: "3000px" });
	main.querySelector("h1").after(Object.assign(new Image(), { src: "/favicon.svg", className: "planted" }));
	add("planted over the line before", { marginBlockStart: "-1.4em", width: "20em" });
}

export const unplant = () => {
	for (const e of document.querySelectorAll(".planted")) e.remove();
};
