import { type AlertChannel, queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { isAsked } from "@ui/fields";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature } from ".";
import { flatOf, nestedOf } from "./channel";
import { form } from "./channelForm";
import { lookOf } from "./EventState";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const meta = { revision: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const event = {
	id: "e1",
	first_id: "e1",
	state: "firing",
	kind: "backend.down",
	severity: "error",
	subject: "shop",
	subject_kind: "backend",
	subject_id: "b1",
	code: "proxy.backend_down",
	params: { backend: "<b>shop</b>", reason: "connection refused" },
	message: "down",
	remedy: "Start it.",
	link: "/proxy/pools/b1",
	fired_at: meta.created_at,
	acknowledged_at: null,
	acknowledged_by: null,
	over: false,
	sent_to: [
		{
			channel_id: "c1",
			channel: "on call",
			result: "ok",
			attempts: 1,
			retry_at: null,
			at: meta.created_at,
		},
		{
			channel_id: "c2",
			channel: "mail",
			result: "error",
			error: { message: "the receiver cannot be reached", text: "the receiver cannot be reached" },
			attempts: 2,
			retry_at: meta.created_at,
			at: null,
		},
	],
};
const channel = {
	...meta,
	id: "c1",
	name: "on call",
	kind: "webhook",
	target: "https://hooks.example.com/",
	settings: { format: "generic", secret: "***SET***" },
	active: true,
	min_severity: "warning",
	kinds: [],
	quiet_hours: "",
	last_ok_at: null,
	last_error_at: null,
} as AlertChannel;

const common = (role: string) => ({
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role, totp_enabled: false, limited: false }),
	"GET /system/components": () => ok([]),
	"GET /problems/states/alert_channel": () => ok({ known: true, states: {} }),
	"GET /alerts/events": () => ok([event]),
	"GET /alerts": () => ok([channel], { "X-Total-Count": "1" }),
});

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test("an event says what is wrong and what came of it at each channel, and is acknowledged", async () => {
	const seen = answer({
		...common("admin"),
		"POST /alerts/events/e1/acknowledge": () => ok({ ...event, acknowledged_by: "ann@example.com" }),
	});
	renderApp([feature], "/alerts");
	expect(await screen.findByRole("link", { name: /<b>shop<\/b>/ })).toBeTruthy();
	expect(screen.getByText("on call: Delivered")).toBeTruthy();
	expect(screen.getByText("mail: Failed")).toBeTruthy();
	expect(screen.getByText(/The receiver cannot be reached\. It is tried again\./)).toBeTruthy();
	await userEvent.setup().click(screen.getByRole("button", { name: "Acknowledge" }));
	expect(seen.some(({ method, url }) => method === "POST" && url.endsWith("/alerts/events/e1/acknowledge"))).toBe(true);
});

test("a viewer sees events, and neither channels nor buttons", async () => {
	answer(common("viewer"));
	renderApp([feature], "/alerts");
	expect(await screen.findByText("on call: Delivered")).toBeTruthy();
	expect(screen.queryByRole("tab", { name: "Channels" })).toBeNull();
	expect(screen.queryByRole("button", { name: /Acknowledge|Send test alert/ })).toBeNull();
});

test("channels are listed, and a test alert says how many get it", async () => {
	answer({ ...common("admin"), "POST /alerts/test": () => ok({ ...event, sent_to: [event.sent_to[0]] }) });
	renderApp([feature], "/alerts?tab=channels");
	const row = await screen.findByRole("row", { name: /on call/ });
	expect(within(row).getByText("Webhook")).toBeTruthy();
	await userEvent.setup().click(screen.getByRole("button", { name: "Send test alert" }));
});

test("a form asks for the settings of its kind only, and they come back as they were", () => {
	const asked = (values: object) =>
		form.fields.filter((field) => isAsked(field, values as Record<string, unknown>)).map(({ name }) => name);
	expect(asked({ kind: "email", format: "generic" })).not.toContain("secret");
	expect(asked({ kind: "webhook", format: "slack" })).not.toContain("secret");
	expect(asked({ kind: "webhook", format: "ntfy" })).toContain("topic");
	const flat = flatOf(channel);
	expect(flat.secret).toBe("***SET***");
	const body = {
		kind: "webhook",
		target: "https://hooks.example.com/",
		format: "generic",
		secret: "***SET***",
	} as const;
	expect(nestedOf(body as Parameters<typeof nestedOf>[0])).toEqual({
		kind: "webhook",
		target: "https://hooks.example.com/",
		settings: { format: "generic", secret: "***SET***" },
	});
});

test("what is over is not red", () => {
	expect(lookOf({ state: "firing", severity: "critical", over: false })).toBe("danger");
	expect(lookOf({ state: "firing", severity: "critical", over: true })).toBe("neutral");
	expect(lookOf({ state: "resolved", severity: "critical", over: false })).toBe("success");
});
