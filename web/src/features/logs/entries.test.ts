import { expect, test } from "vitest";
import { around, askedOf, marked, streamOf } from "./entries";

test("what is asked for is what the server takes", () => {
	expect(askedOf({ sources: "dns,,api", level: "loud", q: "a b", since: "2026-02-03T09:05:00Z" })).toEqual({
		sources: ["dns", "api"],
		q: "a b",
		since: "2026-02-03T09:05:00Z",
	});
	expect(askedOf({})).toEqual({});
});

test("the stream has no time", () => {
	expect(streamOf({ sources: ["dns", "api"], level: "warn", q: "a&b", until: "x" })).toBe(
		"/logs/live?sources=dns%2Capi&level=warn&q=a%26b",
	);
	expect(streamOf({})).toBe("/logs/live");
});

test("around a moment all sources are shown", () => {
	expect(around("2026-02-03T09:05:00Z")).toEqual({
		sources: undefined,
		level: undefined,
		q: undefined,
		since: "2026-02-03T09:04:00.000Z",
		until: "2026-02-03T09:06:00.000Z",
	});
});

test("what was searched for is marked, and markup stays text", () => {
	expect(marked("<b>Error</b>: error", "error").map(({ text, found }) => (found ? `[${text}]` : text))).toEqual([
		"<b>",
		"[Error]",
		"</b>: ",
		"[error]",
	]);
	expect(marked("all", undefined)).toEqual([{ text: "all", found: false }]);
});
