import { expect, test } from "vitest";
import { askOf, unsaid } from "./ask";

test("a risky change is to be confirmed unless somebody chose otherwise", () => {
	expect(askOf(unsaid, false).confirmWithin).toBeUndefined();
	expect(askOf(unsaid, true).confirmWithin).toBe(90);
	expect(askOf({ ...unsaid, confirm: false }, true).confirmWithin).toBeUndefined();
	expect(askOf({ ...unsaid, confirm: true, seconds: 30 }, false).confirmWithin).toBe(30);
});
