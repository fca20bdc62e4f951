import { type DnsSettings, queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";
import { cutsOff } from "./risk";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const zone = { ...meta, id: "z1", name: "example.com", forward_to: [] };
const www = {
	...meta,
	id: "r1",
	zone_id: "z1",
	name: "www",
	fqdn: "www.example.com.",
	type: "A",
	value: "192.0.2.1",
	ttl: 60,
};
const state = {
	component: "dns",
	stage: "live",
	wanted: "a",
	installed: "a",
	observed: "a",
	error: "",
	since: meta.created_at,
	drift: [],
	problems: [],
	keep_edits: false,
};

const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok(ann),
	"GET /system/components": () => ok([state]),
	"GET /dns/zones": () => ok([zone], { "X-Total-Count": "1" }),
	"GET /dns/records": () => ok([www], { "X-Total-Count": "1" }),
	"GET /dns/records/r1": () => ok(www),
};

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const puts = (seen: Request[]) => seen.filter((request) => request.method === "PUT");

test("what will change is asked for without changing anything, and complaints stand at their fields", async () => {
	const diff = "@@ -1,1 +1,1 @@\n-old 192.0.2.1\n+new 192.0.2.2\n";
	const seen = answer({
		...common,
		"PUT /dns/records/r1": async (request) => {
			const { value } = (await request.json()) as { value: string };
			if (value === "nonsense")
				return refusal(400, { code: "invalid", fields: [{ field: "value", message: "must be an IP address" }] });
			const row = (value: string) => ({ name: "www", value });
			const rows = [{ table: "dns_records", operation: "UPDATE", old: row("192.0.2.1"), new: row("192.0.2.2") }];
			return ok({ rows, files: [{ component: "dns", path: "/etc/x.conf", diff }] });
		},
	});
	renderApp([feature], "/dns?do=edit&id=r1");
	const user = userEvent.setup();
	const value = await screen.findByRole("textbox", { name: /Value/ });
	await user.clear(value);
	await user.type(value, "nonsense");
	await user.click(screen.getByRole("button", { name: "Preview changes" }));
	expect(await screen.findByText("Must be an IP address.")).toBeTruthy();
	await user.clear(value);
	await user.type(value, "192.0.2.2");
	await user.click(screen.getByRole("button", { name: "Preview changes" }));
	const plan = await screen.findByRole("dialog", { name: "Preview changes" });
	expect(await within(plan).findByText("new 192.0.2.2")).toBeTruthy();
	expect(within(plan).getByText("Changes DNS record www")).toBeTruthy();
	expect(within(plan).getByText("192.0.2.1 → 192.0.2.2")).toBeTruthy();
	await user.click(within(plan).getByRole("button", { name: "Back" }));
	expect(((await screen.findByRole("textbox", { name: /Value/ })) as HTMLInputElement).value).toBe("192.0.2.2");
	expect(screen.getByRole("dialog", { name: "Edit record" })).toBeTruthy();
	expect(puts(seen).map((request) => request.headers.get("Gateway-Dry-Run"))).toEqual(["true", "true"]);
});

test("a change that the daemon did not take says why, and can be undone on the spot", async () => {
	const failed = { "Gateway-Change": "c1", "Gateway-Apply": "failed", "Gateway-Apply-Reason": "the port is taken" };
	const seen = answer({
		...common,
		"PUT /dns/records/r1": () => ok({ ...www, revision: 4 }, failed),
		"POST /changes/c1/revert": () => ok({}),
	});
	renderApp([feature], "/dns?do=edit&id=r1");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Value/ }), "1");
	await user.type(screen.getByRole("textbox", { name: "Reason" }), "move");
	await user.click(screen.getByRole("button", { name: "Save" }));
	expect(await screen.findByText("The port is taken.")).toBeTruthy();
	expect(puts(seen)[0]?.headers.get("Gateway-Reason")).toBe("move");
	await user.click(screen.getByRole("button", { name: "Revert this change" }));
	await screen.findByText("The change was reverted");
	await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
});

test("a change to be confirmed that the daemon did not take has gone back by itself", async () => {
	const failed = { "Gateway-Change": "c1", "Gateway-Apply": "failed", "Gateway-Apply-Reason": "the port is taken" };
	const seen = answer({ ...common, "PUT /dns/records/r1": () => ok({ ...www, revision: 4 }, failed) });
	renderApp([feature], "/dns?do=edit&id=r1");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Value/ }), "1");
	await user.click(screen.getByRole("switch", { name: /Revert automatically unless confirmed/ }));
	await user.click(screen.getByRole("button", { name: "Save" }));
	const said = await screen.findByRole("dialog");
	expect(await within(said).findByText(/Not applied, and reverted/)).toBeTruthy();
	expect(puts(seen)[0]?.headers.get("Gateway-Confirm-Within")).toBe("90");
	expect(within(said).queryByRole("button", { name: "Revert this change" })).toBeNull();
});

test("a change that waits stands above every page, and is kept from there", async () => {
	let waits = true;
	const record = { id: "c1", action: "dns.record.update", subject: "www", actor: ann.email, confirm_state: "waiting" };
	const seen = answer({
		...common,
		"GET /system/components": () => ok([waits ? { ...state, confirm: { change: "c1", seconds_left: 60 } } : state]),
		"GET /changes": () => ok([record]),
		"POST /changes/c1/confirm": () => {
			waits = false;
			return ok(record);
		},
	});
	renderApp([feature], "/dns");
	expect(await screen.findByText(/^(1:00|0:59)$/)).toBeTruthy();
	expect(await screen.findByText("DNS record changed www, by ann@example.com")).toBeTruthy();
	await userEvent.setup().click(screen.getByRole("button", { name: "Confirm" }));
	await waitFor(() => expect(screen.queryByRole("timer")).toBeNull());
	expect(seen.some((request) => request.url.endsWith("/changes/c1/confirm"))).toBe(true);
});

test("a viewer sees that a change waits, and no button", async () => {
	answer({
		...common,
		"GET /auth/me": () => ok({ ...ann, role: "viewer" }),
		"GET /system/components": () => ok([{ ...state, confirm: { change: "c1", seconds_left: 60 } }]),
		"GET /changes": () => ok([]),
	});
	renderApp([feature], "/dns");
	await screen.findByRole("timer");
	expect(screen.queryByRole("button", { name: /^Confirm$|Revert now|Create record/ })).toBeNull();
});

test("only listening and access can cut somebody off", () => {
	const before = { listen_addresses: ["127.0.0.1", "::1"], access_acl: ["10.0.0.0/8"], dnssec: true } as DnsSettings;
	expect(cutsOff(before, { ...before, dnssec: false })).toBe(false);
	expect(cutsOff(before, { ...before, listen_addresses: ["::1", "127.0.0.1"] })).toBe(false);
	expect(cutsOff(before, { ...before, access_acl: [] })).toBe(true);
	expect(cutsOff(before, { ...before, listen_addresses: ["192.0.2.1"] })).toBe(true);
});

test("a zone is green because its forwarders answer", async () => {
	const down = { state: "down", code: "dns.forwarder_silent", params: { forwarder: "192.0.2.1" }, message: "" };
	const zones = [zone, { ...zone, id: "z2", name: "example.org", forward_to: ["192.0.2.1"] }];
	answer({
		...common,
		"GET /dns/zones": () => ok(zones, { "X-Total-Count": "2" }),
		"GET /problems/states/dns_zone": () => ok({ known: true, states: { z2: down } }),
	});
	renderApp([feature], "/dns?tab=zones");
	for (const [name, word, colour] of [
		["example.com", "Serving", "success"],
		["example.org", "Down", "danger"],
	] as const) {
		const row = (await screen.findByText(name)).closest("tr") as HTMLElement;
		const shown = await within(row).findByText(word);
		expect(shown.closest("[data-status]")?.getAttribute("data-status")).toBe(colour);
	}
	expect(screen.getByText("No answer from forwarder 192.0.2.1.")).toBeTruthy();
});
