import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { feature } from "../features/uplink";
import { renderApp } from "./render";
import { answer, listed, refusal } from "./server";

const moment = "2026-01-01T00:00:00Z";
const meta = { revision: 1, created_at: moment, updated_at: moment };
const internet = { ...meta, id: "g1", name: "internet", family: "inet", is_default: true, description: "" };
const answers = listed({
	"GET /system/health": { version: "1.0.0", hostname: "gw1", database: true, setup_complete: true },
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /problems/states/uplink_group": { known: true, states: {} },
	"GET /uplinks": [],
	"GET /uplink-members": [],
	"GET /uplinks/status": { uplinks: [], groups: [] },
	"GET /uplink-groups": [internet],
	"GET /uplink-groups/g1": internet,
});
const members = "/uplinks?tab=members&filter=group_id:g1";
const why = {
	code: "in_use",
	message: "the group internet is in use",
	used_by: [
		{ kind: "uplink", id: "u1", name: "fibre", link: members },
		{ kind: "nat-rule", id: "r1", name: "Voice", link: "/firewall?tab=nat&do=edit&id=r1" },
	],
	used_by_total: 12,
};
const wait = { timeout: 20_000 };
const asked = { name: "Delete group" };

beforeAll(async () => {
	setUp();
	await Promise.all([
		import("../features/uplink/UplinkPage"),
		import("../features/uplink/groupForm"),
		import("@ui/change/RemoveDialog"),
		import("@ui/change/BulkDialog"),
	]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

/** wayOut expects that a dialog leads to what is in the way, and no longer offers what was refused. */
async function wayOut(dialog: ReturnType<typeof within>) {
	const link = await dialog.findByRole("link", { name: "fibre" }, wait);
	expect(link.getAttribute("href")).toBe(members);
	expect(dialog.getByText(/NAT rule/)).toBeTruthy();
	expect(dialog.getByText("and 10 more")).toBeTruthy();
	expect(dialog.queryByRole("button", { name: /Delete group/ })).toBeNull();
	// The cross above has the same name.
	expect(dialog.getAllByRole("button", { name: "Close" })).toContain(document.activeElement);
	return link;
}

test("what is still in use is not offered for deletion again, and the way leads to who uses it", async () => {
	answer({ ...answers, "DELETE /uplink-groups/g1": () => refusal(409, why) });
	const { history } = renderApp([feature], "/uplinks?tab=groups&do=delete&id=g1");
	const user = userEvent.setup();
	const dialog = within(await screen.findByRole("dialog", asked, wait));
	await user.click(dialog.getByRole("button", asked));
	await user.click(await wayOut(dialog));
	await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull(), wait);
	expect(history.location.href).toBe(members);
}, 60_000);

test("a look at what deleting would change says so as well", async () => {
	answer({ ...answers, "DELETE /uplink-groups/g1": () => refusal(409, why) });
	renderApp([feature], "/uplinks?tab=groups&do=delete&id=g1");
	const user = userEvent.setup();
	const dialog = within(await screen.findByRole("dialog", asked, wait));
	await user.click(await dialog.findByRole("button", { name: "Preview changes" }, wait));
	await wayOut(dialog);
}, 60_000);

test("many at once: the one that is in use is named, with who uses it", async () => {
	const fields = [{ field: "operations[0]", message: why.message }];
	answer({ ...answers, "POST /batch": () => refusal(409, { ...why, fields }) });
	renderApp([feature], "/uplinks?tab=groups");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select internet" }, wait));
	await user.click(within(screen.getByRole("toolbar")).getByRole("button", asked));
	const dialog = within(await screen.findByRole("dialog", asked, wait));
	await user.click(dialog.getByRole("button", { name: "Delete group (1)" }));
	const link = await wayOut(dialog);
	expect(dialog.getByText("internet: The group internet is in use. Nothing was deleted.")).toBeTruthy();
	await user.click(link);
	await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull(), wait);
}, 60_000);

test("several at once are counted in the title, and it is said that none was deleted", async () => {
	const fields = [{ field: "operations[1]", message: why.message }];
	const lan = { ...internet, id: "g2", name: "lan" };
	answer({
		...answers,
		...listed({ "GET /uplink-groups": [lan, internet] }),
		"POST /batch": () => refusal(400, { code: "invalid", fields }),
	});
	renderApp([feature], "/uplinks?tab=groups");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select all that match" }, wait));
	await user.click(within(screen.getByRole("toolbar")).getByRole("button", asked));
	const dialog = within(await screen.findByRole("dialog", { name: /Delete 2 groups/ }, wait));
	await user.click(dialog.getByRole("button", { name: "Delete 2 groups" }));
	const said = "internet: The group internet is in use. Nothing was deleted.";
	expect(await dialog.findByText(said, undefined, wait)).toBeTruthy();
}, 60_000);

test("a form that is refused for that names them, and keeps what was typed", async () => {
	answer({ ...answers, "PUT /uplink-groups/g1": () => refusal(409, why) });
	renderApp([feature], "/uplinks?tab=groups&do=edit&id=g1");
	const user = userEvent.setup();
	const form = within(await screen.findByRole("dialog", { name: "Edit group" }, wait));
	await user.type(await form.findByRole("textbox", { name: "Name" }, wait), " 2");
	await user.click(form.getByRole("button", { name: "Save" }));
	expect((await form.findByRole("link", { name: "fibre" }, wait)).getAttribute("href")).toBe(members);
	expect(form.getByText("The group internet is in use.")).toBeTruthy();
	expect(form.getByRole<HTMLInputElement>("textbox", { name: "Name" }).value).toBe("internet 2");
}, 60_000);
