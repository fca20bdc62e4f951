import type { ApplyState } from "@api";
import { expect, test } from "vitest";
import { diskOf, runningOf, standingOf } from "./components";

const fine: ApplyState = {
	component: "dns",
	stage: "live",
	wanted: "a",
	installed: "a",
	observed: "a",
	off: [],
	error: "",
	since: "2026-01-01T00:00:00Z",
	drift: [],
	problems: [],
	keep_edits: false,
};

test("how a component stands, in words", () => {
	expect(["live", "checking", "failed", "held"].map((stage) => standingOf({ stage } as ApplyState, true))).toEqual([
		"live",
		"busy",
		"failed",
		"held",
	]);
	expect([diskOf(fine), diskOf({ ...fine, installed: "" }), diskOf({ ...fine, wanted: "b" })]).toEqual([
		"wanted",
		"nothing",
		"older",
	]);
	expect([runningOf(fine), runningOf({ ...fine, observed: "" }), runningOf({ ...fine, observed: "b" })]).toEqual([
		"disk",
		"unknown",
		"other",
	]);
});
