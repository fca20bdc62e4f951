import { expect, test } from "vitest";
import { draftOf, filtersOf, isFiltered, readFilters, reversed, same, tooShort, urlOf } from "./filters";

test("filters come from the URL as the server takes them", () => {
	expect(readFilters({ actor: " ann ", subject: "ab", since: "nonsense", tab: "x" })).toEqual({ actor: "ann" });
	expect(readFilters({ subject: "abc", until: "2026-02-03T09:05:00Z" })).toEqual({
		subject: "abc",
		until: "2026-02-03T09:05:00Z",
	});
	expect(readFilters({ action: "x".repeat(150) }).action).toHaveLength(100);
	expect(isFiltered(readFilters({ subject: "ab" }))).toBe(false);
});

test("filters survive the way through the inputs and the URL", () => {
	const filters = { actor: "ann", action: "auth.", since: "2026-02-03T09:05:00Z", until: "2026-07-03T09:05:07Z" };
	expect(filtersOf(draftOf(filters))).toEqual(filters);
	expect(readFilters(urlOf(filters))).toEqual(filters);
	expect(Object.keys(urlOf({}))).toEqual(["actor", "action", "subject", "since", "until"]);
	expect(same(filters, { ...filters })).toBe(true);
	expect(same(filters, {})).toBe(false);
});

test("a subject needs three characters, and an end its beginning", () => {
	expect([tooShort(""), tooShort(" ab "), tooShort("abc")]).toEqual([false, true, false]);
	expect(reversed({ since: "2026-02-03T10:00", until: "2026-02-03T09:00" })).toBe(true);
	expect(reversed({ since: "2026-02-03T10:00", until: "" })).toBe(false);
});
