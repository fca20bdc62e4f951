import { queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed } from "../../test/server";
import { feature } from ".";
import { part } from "./dashboard";
import { all, moment, target } from "./fixture";

beforeAll(async () => {
	setUp();
	await Promise.all([import("./BackupsPage"), import("./TargetsTab")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test.each([
	["an upload failed since the list was loaded", { state: "failed", code: "backup.target_fails" }, "Failed", "danger"],
	["nobody knows", undefined, "Unknown", "neutral"],
	["all is well", null, "Last upload succeeded", "success"],
])("a target is as the server judges it: %s", async (_, state, word, look) => {
	const params = { target: "Vault", reason: "the target is full" };
	const states = state ? { t1: { ...state, params, message: "no" } } : {};
	answer(
		listed({
			...all("viewer"),
			"GET /backup-targets": [{ ...target, last_upload_at: moment(3) }],
			"GET /problems/states/backup_target": { known: state !== undefined, states },
		}),
	);
	renderApp([feature], "/backups?tab=targets");
	const shown = await screen.findByText(word);
	expect(shown.closest("[data-status]")?.getAttribute("data-status")).toBe(look);
});

test("the first steps have a backup, which is done when one succeeded", async () => {
	const step = part.steps?.[0];
	for (const at of [null, moment(3)]) {
		answer(
			listed({ "GET /backups/status": { ...(all("admin")["GET /backups/status"] as object), last_success_at: at } }),
		);
		expect(await step?.done(new AbortController().signal)).toBe(at !== null);
	}
});
