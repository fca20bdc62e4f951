import { expect, test } from "vitest";
import { readPacket, stagesOf, stepText } from "./explain";

const t = (key: string, values: Record<string, unknown> = {}) =>
	[key, ...Object.values(values).filter(Boolean)].join("|");

test("the server's sentences are found, and others stay", () => {
	expect(stepText('rule "Guests": accept', t)).toBe("step.rule|Guests|accept");
	expect(stepText('NAT rule "a" does not match the source', t)).toBe("step.passed|a|step.about.source");
	expect(stepText('rule "a" sends it to the uplink group "b"', t)).toBe("step.uplinks|a|b");
	expect(stepText("192.0.2.1 is reached through eth0", t)).toBe("step.route|192.0.2.1|eth0");
	expect(stepText("12 more rules between these zones do not match", t)).toBe("step.more|12");
	expect(stepText("something new", t)).toBe("something new");
});

test("steps stand below their stages, in the order of the way", () => {
	const step = (stage: string, text: string) => ({ stage, kind: "rule", text, matched: false });
	const stages = stagesOf([step("routing", "a"), step("forward", "b"), step("forward", "c")]);
	expect(stages.map(({ stage, steps }) => `${stage} ${steps.length}`)).toEqual(["routing 1", "forward 2"]);
});

test("an address may bring the packet, or only open the form", () => {
	expect(readPacket('{"source":"192.0.2.1"}')).toEqual({ source: "192.0.2.1" });
	expect(readPacket("yes")).toBeUndefined();
	expect(readPacket("3")).toBeUndefined();
});
