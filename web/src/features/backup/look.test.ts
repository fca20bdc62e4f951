import { expect, test } from "vitest";
import { backup, moment } from "./fixture";
import { shareOf, stateOf, sumLooks, sumOf } from "./look";

const verified = { verify_status: "done", verified_at: moment(1) } as const;
const failed = backup({ id: "f", status: "failed", started_at: moment(1) });
const damaged = backup({ id: "d", verify_status: "failed", started_at: moment(1) });

test("an archive that could not be read again is no good backup", () => {
	expect(stateOf(backup())).toBe("complete");
	expect(stateOf(damaged)).toBe("damaged");
	expect(stateOf(backup({ available: false }))).toBe("away");
	expect(stateOf(backup({ status: "failed", verify_status: "done" }))).toBe("failed");
	expect(stateOf(backup({ status: "running" }))).toBe("running");
});

test.each([
	["nothing", [], "never"],
	["the first one runs", [backup({ status: "running" })], "never"],
	["the only one failed", [failed], "failed"],
	["the newest failed", [failed, backup(verified)], "failed"],
	["the newest is damaged", [damaged, backup(verified)], "damaged"],
	["the folder of all is away", [backup({ ...verified, available: false })], "away"],
	["the newest is of last week", [backup({ ...verified, started_at: moment(170) })], "old"],
	["the newest was not verified", [backup(), backup(verified)], "unverified"],
	["the newest was verified, and is again", [backup({ ...verified, verify_status: "running" })], "verified"],
	["the newest is being verified", [backup({ verify_status: "running" })], "unverified"],
	["only the state before a restore", [backup({ ...verified, kind: "before-restore" })], "never"],
	["the newest was saved before a restore", [backup({ kind: "before-restore" }), backup(verified)], "verified"],
	[
		"the clock was ahead",
		[backup({ ...verified, started_at: moment(-48) }), backup({ started_at: moment(170) })],
		"old",
	],
	["the newest was verified", [backup({ status: "running" }), backup(verified)], "verified"],
])("%s", (_, backups, kind) => {
	expect(sumOf(backups, Date.now()).kind).toBe(kind);
});

test("only what was verified is green", () => {
	const green = Object.entries(sumLooks).filter(([, look]) => look === "success");
	expect(green.map(([kind]) => kind)).toEqual(["verified"]);
	const good = backup(verified);
	expect(sumOf([failed, good], Date.now()).at).toBe(good.started_at);
});

test("how far a run is, is not known without its size", () => {
	expect(shareOf({ done: 5, total: 0 })).toBeUndefined();
	expect(shareOf({ done: 5, total: 10 })).toBe(0.5);
	expect(shareOf({ done: 15, total: 10 })).toBe(1);
});
