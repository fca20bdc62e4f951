import { expect, test } from "vitest";
import { movedOf } from "./components";
import type { ApplyState } from "./generated";

const state = (component: string, more: Partial<ApplyState> = {}) =>
	({ component, installed: "a", error: "", stage: "live", ...more }) as ApplyState;

test("a component moved when its files, its error or what it waits for did, and when an apply is over", () => {
	const before = [state("dns"), state("ntp")];
	expect(movedOf(before, [state("dns"), state("ntp", { stage: "checking" })])).toEqual([]);
	expect(movedOf(before, [state("dns", { installed: "b" }), state("ntp")])).toEqual(["dns"]);
	expect(movedOf(before, [state("dns"), state("ntp", { error: "no" })])).toEqual(["ntp"]);
	expect(movedOf([state("ntp", { stage: "checking" })], [state("ntp")])).toEqual(["ntp"]);
	// Between two messages, so that nobody saw another stage.
	const at = (since: string) => state("ntp", { since });
	expect(movedOf([at("2026-01-01T00:00:00Z")], [at("2026-01-01T00:00:00Z")])).toEqual([]);
	expect(movedOf([at("2026-01-01T00:00:00Z")], [at("2026-01-01T00:00:09Z")])).toEqual(["ntp"]);
	const waiting = state("dns", { confirm: { change: "c", seconds_left: 9 } });
	expect(movedOf([waiting], [{ ...waiting, confirm: { change: "c", seconds_left: 4 } }])).toEqual([]);
	expect(movedOf([waiting], [state("dns")])).toEqual(["dns"]);
});
