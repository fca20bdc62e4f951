import { expect, test } from "vitest";
import { quicken, trim } from "./patternfly.ts";

const squeeze = (css: string) => css.replace(/\s+/g, "");

test("fonts, unused themes and unused variants go", () => {
	const css = `@font-face { src: url(x) } .a { color: red } :root:where(.pf-v6-theme-glass) { --a: 1 } .pf-m-grid-lg.t, .b { color: blue }`;
	expect(squeeze(trim(css))).toBe(".a{color:red}.b{color:blue}");
});

test("media queries are looked into, and go when empty", () => {
	const css = `@media (min-width: 1px) { .pf-m-grid-2xl.t { a: b } .c { d: e } } @media print { .pf-v6-pficon-x:before { a: b } }`;
	expect(squeeze(trim(css))).toBe("@media(min-width:1px){.c{d:e}}");
});

test("the light and the dark theme stay", () => {
	const css = `:root { --a: 1 } :root:where(.pf-v6-theme-dark) { --a: 2 } .pf-m-grid-md.t { a: b }`;
	expect(squeeze(trim(css))).toBe(squeeze(css));
});

test("no rule looks at the neighbours of every element", () => {
	expect(quicken(".a > * + * { b: c } .d>*+* > e { f: g }")).toBe(
		".a > :not(:first-child) { b: c } .d> :not(:first-child) > e { f: g }",
	);
});
