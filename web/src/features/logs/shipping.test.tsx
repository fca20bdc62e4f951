import { queryClient, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const identity = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const settings = {
	...{ id: "1", revision: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" },
	...{ journal_max_mb: null, journal_max_days: 14, access_log_max_mb: null, access_log_max_days: null },
	...{ remote_enabled: true, remote_host: "logs.example.com", remote_port: 6514, remote_server_name: "" },
	...{ remote_ca: "", remote_level: "info", remote_units: [], remote_access_log: false },
};
const stream = {
	...{ journal: "system", connected_since: null, last_sent_at: null, sent_up_to: null, behind_since: null },
	...{ state: "sending", sent: 3, error: "", lost: 0, lost_at: null },
};

beforeAll(async () => {
	setUp();
	await Promise.all([import("./LogsPage"), import("./SettingsTab"), import("@ui/OwnPasswordDialog")]);
}, 60_000);
beforeEach(() => queryClient.clear());

test.each([
	["entries arrive", { enabled: true, running: true, streams: [stream] }, "Entries arrive"],
	[
		"the receiver is a stranger",
		{ enabled: true, running: true, streams: [{ ...stream, state: "away", error: "not_trusted" }] },
		/certificate is not trusted/,
	],
	["the shipper is silent", { enabled: true, running: false, streams: [] }, "The log shipper does not report"],
])(
	"the settings say that %s",
	async (_, shipping, text) => {
		answer({
			"GET /auth/me": () => ok(identity),
			"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
			"GET /logs/settings": () => ok(settings),
			"GET /logs/shipping": () => ok(shipping),
		});
		renderApp([feature], "/logs?tab=settings");
		expect(await screen.findByText(text, undefined, { timeout: 15_000 })).toBeTruthy();
		expect(await screen.findByDisplayValue("logs.example.com", undefined, { timeout: 15_000 })).toBeTruthy();
	},
	40_000,
);

test("settings are saved once the password was given for them", async () => {
	const seen = answer({
		"GET /auth/me": () => ok(identity),
		"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
		"GET /logs/settings": () => ok(settings),
		"GET /logs/shipping": () => ok({ enabled: true, running: true, streams: [stream] }),
		"POST /auth/tickets": () => ok({ ticket: "t-1", expires_at: settings.created_at }),
		"PUT /logs/settings": ({ headers }) =>
			headers.get("Gateway-Ticket") === "t-1"
				? ok({ ...settings, revision: 2 })
				: refusal(401, { code: "password_required", message: "this needs your password once more" }),
	});
	renderApp([feature], "/logs?tab=settings");
	const user = userEvent.setup();
	const host = await screen.findByDisplayValue("logs.example.com", undefined, { timeout: 15_000 });
	await user.type(host, ".net");
	await user.click(screen.getByRole("button", { name: /^Save/ }));
	const dialog = within(await screen.findByRole("dialog", { name: "Confirm with your password" }, { timeout: 15_000 }));
	expect(await dialog.findByText(/You confirm: Change log settings\./)).toBeTruthy();
	await user.type(dialog.getByLabelText(/^Your password/), "my own password{Enter}");
	expect(await screen.findByText("Log settings saved", undefined, { timeout: 15_000 })).toBeTruthy();
	const puts = seen.filter(({ method }) => method === "PUT");
	expect(await puts.at(-1)?.json()).toMatchObject({ remote_host: "logs.example.com.net" });
	const tickets = seen.filter(({ url }) => url.endsWith("/auth/tickets"));
	expect(await tickets[0]?.json()).toEqual({ password: "my own password", operation: "PUT /logs/settings" });
}, 60_000);
