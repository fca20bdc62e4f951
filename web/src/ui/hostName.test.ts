import { expect, test } from "vitest";
import { ascii, byHostName, readable } from "./hostName";

test.each([
	["shop.example.com", "shop.example.com"],
	["shöp.example.com", "xn--shp-tna.example.com"],
	["*.Shöp.example.com", "*.xn--shp-tna.example.com"],
	["shöp", "xn--shp-tna"],
	["a/ö", "a/ö"],
	["Grüße an alle", "Grüße an alle"],
])("%s is stored as %s", (typed, stored) => expect(ascii(typed)).toBe(stored));

test.each([
	["xn--shp-tna.example.com", "shöp.example.com"],
	["*.xn--bcher-kva.xn--p1ai", "*.bücher.рф"],
	["xn--fiqs8s", "中国"],
	["xn--mgbh0fb.xn--kgbechtv", "مثال.إختبار"],
	["shop.example.com", undefined],
	["xn--.example.com", undefined],
	["xn--a-b-c-\u00fc.example", undefined],
	["xn--99999999.example", undefined],
])("%s is read as %s", (name, text) => expect(readable(name)).toBe(text));

const stored = [
	{ name: "xn--shp-tna.example.com", notes: "" },
	{ name: "b.example.com", notes: "für Müller" },
];
const asked: (string | undefined)[] = [];
const list = byHostName(async ({ query }: { query?: { q?: string } }) => {
	asked.push(query?.q);
	const data = stored.filter(({ name, notes }) => `${name} ${notes}`.includes(query?.q ?? ""));
	return { data, response: new Response(null, { headers: { "X-Total-Count": String(data.length) } }) };
});

test.each([
	["shöp", ["xn--shp-tna.example.com"], ["xn--shp-tna"]],
	["Müller", ["b.example.com"], ["xn--mller-kva", "Müller"]],
	["b.example", ["b.example.com"], ["b.example"]],
])("a list searched for %s has %s", async (q, names, requests) => {
	asked.length = 0;
	expect((await list({ query: { q } })).data.map(({ name }) => name)).toEqual(names);
	expect(asked).toEqual(requests);
});
