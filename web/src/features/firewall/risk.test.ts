import { expect, test } from "vitest";
import { isEverywhere, learn } from "./risk";

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

test("a name is any address while what it stands for is", () => {
	const object = (value: string) => [{ id: "1", name: "internet", value }];
	const groups = [{ id: "g", name: "all of it", members: ["1"] }];
	const seen = () => ["internet", '"internet", printers', "all of it", "printers"].map(isEverywhere);
	learn(object("0.0.0.0/0"), groups);
	expect(seen()).toEqual([true, true, true, false]);
	learn(object("192.0.2.0/24"), groups);
	expect(seen()).toEqual([false, false, false, false]);
});
