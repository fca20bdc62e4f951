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
	all_off: false,
	error: "",
	since: "2026-01-01T00:00:00Z",
	drift: [],
	problems: [],
	keep_edits: false,
};

test.each<[string, Partial<ApplyState>, boolean, string, string, string]>([
	["all is well", {}, true, "live", "wanted", "disk"],
	["being applied", { stage: "checking", wanted: "b" }, true, "busy", "older", "disk"],
	["nothing there yet", { stage: "failed", installed: "", observed: "" }, true, "failed", "nothing", "down"],
	["another one runs", { observed: "b" }, true, "live", "wanted", "other"],
	[
		"one row is left out",
		{ problems: [{ subject: "record ann", message: "no" } as never] },
		true,
		"partly",
		"wanted",
		"disk",
	],
	["switched off", { off: ["unbound.service"], all_off: true, observed: "" }, true, "off", "wanted", "down"],
	["a unit beside others is switched off", { off: ["gateway-logship.service"] }, true, "live", "wanted", "disk"],
	["edits are kept", { stage: "held", keep_edits: true, drift: ["/etc/x"] }, true, "held", "edited", "unknown"],
	["edits would be kept", { keep_edits: true }, true, "live", "wanted", "disk"],
	["edits are put back", { drift: ["/etc/x"] }, true, "live", "wanted", "disk"],
	["the applier is away", {}, false, "unknown", "unknown", "unknown"],
])("how a component stands: %s", (_, more, known, standing, disk, running) => {
	const state = { ...fine, ...more };
	expect([standingOf(state, known), diskOf(state, known), runningOf(state, known)]).toEqual([standing, disk, running]);
});
