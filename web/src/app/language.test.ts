import { expect, test } from "vitest";
import { best, score } from "./fuzzy";
import { namespaceOf, pick } from "./language";
import { readSearch, writeSearch } from "./router";

test("the first language that we speak is taken", () => {
	expect(pick(["fr-FR", "de-AT", "en"])).toBe("de");
	expect(pick(["", "en-US", "de"])).toBe("en");
	expect(pick(["fr"])).toBe("en");
});

test("messages belong to their folder", () => {
	expect(namespaceOf("../messages/en.json")).toBe("app");
	expect(namespaceOf("../../ui/messages/en.json")).toBe("ui");
	expect(namespaceOf("../../features/users/messages/en.json")).toBe("users");
});

test("search parameters stay the text they are", () => {
	expect(readSearch("?q=123&sort=-email")).toEqual({ q: "123", sort: "-email" });
	expect(writeSearch({ q: "a b", sort: undefined, id: "" })).toBe("?q=a+b");
});

test("the palette likes starts of words", () => {
	expect(score("xyz", "Users")).toBe(0);
	expect(best("us", [{ title: "Focus" }, { title: "Users" }]).map((entry) => entry.title)).toEqual(["Users", "Focus"]);
	expect(best("cu", [{ title: "Create user" }])).toHaveLength(1);
});
