import type { ApplyState } from "@api";
import { expect, test } from "vitest";
import { componentProblems, diskOf, runningOf, standingOf } from "./components";

const fine: ApplyState = {
	component: "dns",
	stage: "live",
	wanted: "a",
	installed: "a",
	observed: "a",
	error: "",
	since: "2026-01-01T00:00:00Z",
	drift: [],
	problems: [],
	keep_edits: false,
};
const words = (key: string, values?: Record<string, unknown>) => `${key} ${JSON.stringify(values ?? {})}`;
const of = (state: Partial<ApplyState>) => componentProblems([{ ...fine, ...state }], words, (text) => text);

test("how a component stands, in words", () => {
	expect(["live", "checking", "failed", "held"].map((stage) => standingOf({ stage } as ApplyState))).toEqual([
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

test("a component that is as it should be is no problem", () => {
	expect(of({})).toEqual([]);
	expect(of({ stage: "reloading" })).toEqual([]);
});

test("failures, hand edits and what was left out come with the reason and the way out", () => {
	const [failed] = of({ stage: "failed", error: "the port is taken" });
	expect(failed).toMatchObject({ id: "not live dns", severity: "danger" });
	expect(failed?.detail).toContain("the port is taken");
	expect(failed?.detail).toContain("problem.notLiveOut");
	expect(of({ drift: ["/etc/x"] })[0]).toMatchObject({ id: "drift dns" });
	const held = of({ stage: "held", keep_edits: true, drift: ["/etc/x"] });
	expect(held.map((one) => one.id)).toEqual(["held dns"]);
	expect(held[0]?.detail).toContain("/etc/x");
	expect(of({ problems: [{ subject: "www", message: "is no address" }] })[0]).toMatchObject({
		id: "left out dns www",
		detail: "is no address",
	});
});
