import { expect, test } from "vitest";
import { isEverywhere } from "./risk";

test.each([
	["", true],
	["  ", true],
	[undefined, true],
	["0.0.0.0/0", true],
	["::/0", true],
	["0.0.0.0/0, ::/0", true],
	["10.0.0.1, 1.2.3.4/0", true],
	["0.0.0.0-255.255.255.255", true],
	["10.0.0.0/8", false],
	["printers", false],
	['"0.0.0.0/0"', false],
	["0.0.0.0", false],
])("%j is any address: %s", (typed, any) => {
	expect(isEverywhere(typed)).toBe(any);
});
