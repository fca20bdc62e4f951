import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed } from "../../test/server";
import { feature } from ".";

const moment = "2026-01-01T00:00:00Z";
const meta = { revision: 1, created_at: moment, updated_at: moment };
const internet = { ...meta, id: "g1", name: "internet", family: "inet", is_default: true, description: "" };
const answers = {
	"GET /system/health": { version: "1.0.0", hostname: "gw1", database: true, setup_complete: true },
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /problems/states/uplink_group": { known: true, states: {} },
	"GET /uplinks": [],
	"GET /uplinks/status": { uplinks: [], groups: [] },
	"GET /uplink-groups": [internet],
};
const wait = { timeout: 20_000 };

beforeAll(async () => {
	setUp();
	await Promise.all([import("./UplinkPage"), import("./groupForm")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

/** create opens the form once the list shows what there is. */
const create = async (shown: string) => {
	renderApp([feature], "/uplinks?tab=groups");
	const user = userEvent.setup();
	await screen.findByText(shown, undefined, wait);
	await user.click((await screen.findAllByRole("button", { name: "Create group" }, wait))[0]!);
	return { user, form: within(await screen.findByRole("dialog", { name: "Create group" }, wait)) };
};
const preset = async (form: ReturnType<typeof within>) =>
	(await form.findByRole("switch", { name: "Default" }, wait)) as HTMLInputElement;

test("the first group is the default, and its family is one that there is", async () => {
	answer(listed({ ...answers, "GET /uplink-groups": [] }));
	const { form } = await create("No groups yet");
	expect((await preset(form)).checked).toBe(true);
	const options = within(form.getByRole("combobox", { name: "Address family" })).getAllByRole("option");
	expect(options.map((option) => option.textContent)).toEqual(["IPv4", "IPv6"]);
}, 60_000);

test("the second group is not; whoever wants it so is told which one is", async () => {
	answer(listed(answers));
	const { user, form } = await create("internet");
	const box = await preset(form);
	expect(box.checked).toBe(false);
	await user.click(box);
	expect(await form.findByText(/“internet” is already the default/)).toBeTruthy();
	await user.selectOptions(form.getByRole("combobox", { name: "Address family" }), "inet6");
	await waitFor(() => expect(form.queryByText(/already the default/)).toBeNull());
}, 60_000);

test("the group that is the default may stay so", async () => {
	answer(listed({ ...answers, "GET /uplink-groups/g1": internet }));
	renderApp([feature], "/uplinks?tab=groups&do=edit&id=g1");
	const form = within(await screen.findByRole("dialog", { name: "Edit group" }, wait));
	expect((await preset(form)).checked).toBe(true);
	expect(form.queryByText(/already the default/)).toBeNull();
}, 60_000);
