import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const settings = {
	...meta,
	id: "s",
	enabled: true,
	listen_addresses: ["192.0.2.1"],
	auth_port: 1812,
	accounting_port: 1813,
	zones: ["lan"],
};
const ann = { ...meta, id: "u1", name: "ann", enabled: true, vlan: 10, description: "", password_configured: true };
const signIn = {
	at: meta.created_at,
	user: "<b>ann</b>",
	result: "password",
	client: "ap-1",
	from: "192.0.2.10",
	station: "02-00-00-00-00-01",
	nas: "",
};

const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false }),
	"GET /system/components": () => ok([]),
	"GET /problems/states/radius": () => ok({ known: true, states: {} }),
	"GET /problems/states/service": () => ok({ known: true, states: {} }),
	"GET /radius/settings": () => ok(settings),
	"GET /radius/users": () => ok([ann], { "X-Total-Count": "1" }),
	"GET /radius/clients": () => ok([], { "X-Total-Count": "0" }),
	"GET /radius/sign-ins": () => ok({ recent: [signIn], users: { ann: { ...signIn, user: "ann" } } }),
};

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test("the page says where the server listens, for whom its ports are open, and what came of the last sign-in", async () => {
	answer(common);
	renderApp([feature], "/radius");
	const card = await screen.findByRole("region", { name: "RADIUS server" });
	expect(await within(card).findByText("192.0.2.1")).toBeTruthy();
	expect(within(card).getByText("UDP 1812 and 1813")).toBeTruthy();
	expect(within(card).getByText("lan")).toBeTruthy();
	expect(await screen.findByText("Wrong password")).toBeTruthy();
});

test("a test tells which step refused", async () => {
	const results = ["unknown_client"];
	const seen = answer({
		...common,
		"POST /radius/test-sign-in": () => {
			const result = results.shift();
			return result
				? ok({ result, client: "", vlan: null })
				: refusal(409, { code: "conflict", message: "It does not answer" });
		},
	});
	renderApp([feature], "/radius");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Test a sign-in" }));
	const dialog = await screen.findByRole("dialog", { name: "Test a sign-in" });
	await user.type(await within(dialog).findByRole("textbox", { name: /User/ }), "ann");
	await user.type(within(dialog).getByLabelText(/^Password/), "wonder");
	await user.click(within(dialog).getByRole("button", { name: "Test" }));
	expect(await within(dialog).findByText(/No client has this address/)).toBeTruthy();
	expect(seen.some(({ method, url }) => method === "POST" && url.endsWith("/radius/test-sign-in"))).toBe(true);
	// What came of one says nothing about the next, and there is nothing to cancel.
	await user.click(within(dialog).getByRole("button", { name: "Test" }));
	await within(dialog).findByText(/It does not answer/);
	expect(within(dialog).queryByText(/No client has this address/)).toBeNull();
	expect(within(dialog).queryByRole("button", { name: "Cancel" })).toBeNull();
});

test("an empty list says the first step, and names of others are text", async () => {
	answer(common);
	renderApp([feature], "/radius?tab=clients");
	expect(await screen.findByText("No clients yet")).toBeTruthy();
	await userEvent.setup().click(screen.getByRole("tab", { name: "Sign-ins" }));
	expect(await screen.findByText("<b>ann</b>")).toBeTruthy();
});

test.each([
	["/radius?do=create", "Add user", false],
	["/radius?do=edit&id=u1", "Edit user", true],
	["/radius?tab=clients&do=create", "Add client", false],
])(
	"%s says that an empty secret keeps the present one only where there is one",
	async (page, title, kept) => {
		answer({ ...common, "GET /radius/users/u1": () => ok(ann) });
		renderApp([feature], page);
		const form = within(await screen.findByRole("dialog", { name: title }, { timeout: 20_000 }));
		expect(await form.findByText(/128 bytes|random characters/, undefined, { timeout: 20_000 })).toBeTruthy();
		expect(form.queryByText(/keeps the present one/) !== null).toBe(kept);
	},
	60_000,
);
