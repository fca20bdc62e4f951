import { expect, test } from "vitest";
import { merge } from "./urlState";
import { pagesOf } from "./useRows";
import { queryOf, readSort, writeSort } from "./useTableState";

test("the URL spells a sort as the server does", () => {
	expect(readSort("-created_at")).toEqual({ field: "created_at", down: true });
	expect(writeSort({ field: "email", down: false })).toBe("email");
	expect(readSort(undefined)).toBeUndefined();
});

test("the server is asked what the URL says, and nothing else in it", () => {
	expect(queryOf({ q: "ann", sort: "-email", role: "admin", do: "edit", id: "1" }, ["role"])).toEqual({
		q: "ann",
		sort: "-email",
		role: "admin",
	});
	expect(queryOf({}, [], "email")).toEqual({ sort: "email" });
});

test("an emptied parameter leaves the URL", () => {
	expect(merge({ q: "ann", sort: "email" }, { q: "" })).toEqual({ sort: "email" });
	expect(merge({ do: "edit", id: "1" }, { do: undefined, id: undefined })).toEqual({});
});

test("only the pages on screen are loaded, and always the first", () => {
	expect(pagesOf(0, 30)).toEqual([0]);
	expect(pagesOf(80, 120)).toEqual([0, 1]);
	expect(pagesOf(99_950, 99_990)).toEqual([0, 999]);
});
