import { expect, test } from "vitest";
import type { Problem } from "./feature";
import { kindsOf } from "./ProblemItems";

test("problems of one kind stand together, the worst kind first", () => {
	const of = (id: string, severity: Problem["severity"]) => ({ id, severity, title: id });
	const kinds = kindsOf([of("a x", "danger"), of("b x", "danger"), of("a y", "danger"), of("a z", "warning")]);
	expect(kinds.map((kind) => kind.map(({ id }) => id))).toEqual([["a x", "a y"], ["b x"], ["a z"]]);
});
