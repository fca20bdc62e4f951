import type { Plugin } from "vite";

// Rules that we never need: fonts (we ship our own), the icon font (icons are SVG),
// themes besides light and dark, and variants of components that no page asks for.
const rules =
	/^@font-face|\.pf-v6-pficon|pf-v6-theme-(felt|glass|high-contrast)|pf-v6-m-legacy-font|ai-indicator|thinking|pf-m-glass|pf-m-plain-on-glass|pf-m-tree-view|pf-m-grid(-sm|-lg|-xl|-2xl)?(?![-\w])|pf-m-sticky-on|pf-m-docked/;

// Whole files: the drawer that PatternFly's page could have, and tables as trees.
const files = /\/(Drawer\/drawer|Table\/table-tree-view|NotificationDrawer\/notification-drawer)\.css$/;

/** trim drops the unused rules of a stylesheet, inside of media queries too. */
export function trim(css: string): string {
	let out = "";
	let depth = 0;
	let start = 0;
	let open = 0;
	for (let i = 0; i < css.length; i++) {
		if (css[i] === "{" && depth++ === 0) open = i;
		if (css[i] !== "}" || --depth > 0) continue;
		out += kept(css.slice(start, open), css.slice(open + 1, i));
		start = i + 1;
	}
	return out + css.slice(start);
}

/**
 * quicken says "each but the first" in another way. Because of "> * + *" a browser takes every element for one
 * whose look may depend on its neighbours: a row that comes or goes, anywhere, restyled the whole list around it.
 */
export const quicken = (css: string): string => css.replace(/>\s*\*\s*\+\s*\*/g, "> :not(:first-child)");

function kept(head: string, body: string): string {
	if (/^\s*@(media|supports|layer)/.test(head)) {
		const inner = trim(body);
		return inner.trim() === "" ? "" : `${head}{${inner}}`;
	}
	const wanted = head.split(",").filter((selector) => !rules.test(selector.trim()));
	// A selector list such as :where(a, b) must not be cut in its middle.
	if (head.includes("(") && wanted.length > 0) return rules.test(head) && wanted.length < 2 ? "" : `${head}{${body}}`;
	return wanted.length === 0 ? "" : `${wanted.join(",")}{${body}}`;
}

/**
 * patternfly trims PatternFly's stylesheets while they are read, and puts them into a layer: our own
 * styles, which are in none, win whatever the order in which chunks arrive.
 */
export function patternfly(): Plugin {
	return {
		name: "gateway:patternfly",
		enforce: "pre",
		transform: {
			filter: { id: /@patternfly\/.*\.css$/ },
			handler: (code, id) => ({ code: files.test(id) ? "" : `@layer patternfly{${quicken(trim(code))}}`, map: null }),
		},
	};
}
