import { expect, test } from "vitest";
import { fromLocal, toLocal } from "./moment";

test("a moment goes to an input in the browser's zone and back", () => {
	const local = toLocal("2026-02-03T09:05:00Z");
	expect(local).toMatch(/^2026-02-0\dT\d\d:05$/);
	expect(fromLocal(local)).toBe("2026-02-03T09:05:00Z");
	expect(toLocal("no date")).toBe("");
	expect(toLocal(undefined)).toBe("");
	expect(fromLocal("")).toBeUndefined();
});
