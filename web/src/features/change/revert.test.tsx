import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed } from "../../test/server";
import { feature } from ".";

const wait = { timeout: 30_000 };

const common = {
	"GET /problems": { version: "1", problems: [], unknown: [], counts: {} },
	"GET /system/health": { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true },
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /system/components": [],
};

const change = (component: string, apply: string | null) => ({
	id: "c1",
	created_at: "2026-11-18T12:00:00Z",
	component,
	action: `${component}.thing.update`,
	subject: "Hook",
	actor: "ann@example.com",
	reason: "",
	reverts: null,
	confirm_state: null,
	confirm_seconds: null,
	rows: 1,
	objects: [],
	reverted_by: null,
	apply,
	images: [],
	rounds: [],
});

beforeAll(async () => {
	setUp();
	await import("./ChangePage");
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test.each([
	["alert", null, false],
	["dns", "live", true],
])(
	"reverting a change of %s offers to wait only where there is something to confirm",
	async (name, apply, offered) => {
		answer(listed({ ...common, "GET /changes/c1": change(name, apply) }));
		renderApp([feature], "/changes/c1");
		await userEvent.setup().click(await screen.findByRole("button", { name: "Revert this change" }, wait));
		const dialog = await screen.findByRole("dialog", {}, wait);
		const count = offered ? 1 : 0;
		expect(within(dialog).queryAllByRole("switch", { name: "Revert automatically unless confirmed" })).toHaveLength(
			count,
		);
		expect(within(dialog).queryAllByText("It takes effect at once; there is nothing to confirm.")).toHaveLength(
			1 - count,
		);
		expect(within(dialog).getByRole("textbox", { name: "Reason" })).toBeTruthy();
	},
	90_000,
);
