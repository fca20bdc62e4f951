import type { Uplink, UplinkReport } from "@api";
import { expect, test } from "vitest";
import { stateOf } from "./state";

const uplink = { id: "u1", active: true } as Uplink;
const report = { uplinks: [{ id: "u1", state: "loss" }], groups: [] } as unknown as UplinkReport;

test("an uplink is as the monitor found it, and unknown while nobody can be asked", () => {
	expect(stateOf(uplink, report)).toBe("loss");
	expect(stateOf({ ...uplink, id: "u2" }, report)).toBe("unknown");
	expect(stateOf(uplink, undefined)).toBe("unknown");
	expect(stateOf({ ...uplink, active: false }, report)).toBe("off");
});
