import { expect, test } from "vitest";
import { advance, stages, standing } from "./progress";

const run = (...seen: Parameters<typeof advance>[1][]) => seen.reduce(advance, -1);
const look = (reached: number) => stages.map((_, place) => standing(place, reached)).join(" ");

test("the live state of what ran before is no progress", () => {
	expect(run("live", "live")).toBe(-1);
	expect(run("live", "checking", "live")).toBe(4);
	expect(run(undefined, "held")).toBe(-1);
});

test("stages that were too quick to be seen count as done, and nothing goes back", () => {
	expect(run("reloading")).toBe(3);
	expect(run("installing", "rendering")).toBe(2);
	expect(look(-1)).toBe("now next next next next");
	expect(look(2)).toBe("done done now next next");
	expect(look(4)).toBe("done done done done done");
});
