import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";

const moment = "2026-01-01T00:00:00Z";
const meta = { revision: 1, created_at: moment, updated_at: moment };
const uplink = {
	...meta,
	id: "u1",
	name: "fibre",
	interface: "eth0",
	family: "inet",
	gateway: "192.0.2.1",
	active: true,
	monitor: true,
	description: "",
};
const status = {
	id: "u1",
	state: "loss",
	in_use: false,
	loss: 30,
	rtt_ms: 12.34,
	since: moment,
	gateway: "192.0.2.1",
	target: "9.9.9.9",
	history: [
		{ at: "2026-01-01T00:00:00Z", state: "up", loss: 0, rtt_ms: 9 },
		{ at: "2026-01-02T00:00:00Z", state: "loss", loss: 30, rtt_ms: 9 },
	],
	back_at: null,
};
const answers = {
	"GET /system/health": { version: "1.0.0", hostname: "gw1", database: true, setup_complete: true },
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /problems/states/uplink": {
		known: true,
		states: { u1: { state: "loss", code: "", message: "", params: {} } },
	},
	"GET /uplinks": [uplink],
	"GET /uplinks/u1": uplink,
	"GET /uplinks/status": { uplinks: [status], groups: [] },
	"GET /uplink-groups": [{ ...meta, id: "g1", name: "internet", family: "inet", is_default: true }],
	"GET /uplink-members": [{ ...meta, id: "m1", group_id: "g1", uplink_id: "u1", tier: 2, weight: 1 }],
	"GET /changes": [
		{ ...meta, id: "c1", action: "uplink.update", subject: "fibre", actor: "ann", apply: "live", rows: 1 },
	],
};

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./UplinkPage"), import("./UplinkDetailPage"), import("./UplinkSettings")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 20_000 };

test("an uplink has a page with its state, its quality, its groups and its last changes", async () => {
	answer(listed(answers));
	const { history } = renderApp([feature], "/uplinks");
	await userEvent.setup().click(await screen.findByRole("link", { name: "fibre" }, wait));
	await waitFor(() => expect(history.location.pathname).toBe("/uplinks/u1"), wait);
	expect(await screen.findByText("Not used for new connections", undefined, wait)).toBeTruthy();
	const figures = await screen.findByRole("region", { name: "Overview" }, wait);
	expect(figures.textContent).toBe("Packet loss30 %Round-trip time12.3 ms");
	expect(await screen.findByRole("link", { name: "internet" }, wait)).toBeTruthy();
	const past = within(await screen.findByRole("region", { name: "State history" }, wait)).getAllByRole("listitem");
	expect(past.map((one) => /Packet loss|Up/.exec(one.textContent)?.[0])).toEqual(["Packet loss", "Up"]);
	const change = await screen.findByRole("link", { name: "Uplink changed" }, wait);
	expect(change.getAttribute("href")).toBe("/changes/c1");
}, 60_000);

test("what the monitor cannot tell is unknown", async () => {
	answer({
		...listed(answers),
		"GET /problems/states/uplink": () => ok({ known: false, states: {} }),
		"GET /uplinks/status": () => refusal(503, { code: "daemon_silent", message: "it hangs" }),
	});
	renderApp([feature], "/uplinks/u1");
	expect(await screen.findByText("Unknown", undefined, wait)).toBeTruthy();
	const figures = await screen.findByRole("region", { name: "Overview" }, wait);
	expect(figures.textContent).toBe("Packet loss–Round-trip time–");
}, 60_000);

test("an uplink with two troubles of one kind has a notice for each", async () => {
	const said = vi.spyOn(console, "error");
	const refused = (what: string) => ({
		code: "uplink.refused",
		severity: "error",
		subject: { kind: "uplink", id: "u1", name: "fibre" },
		params: { what, why: "no" },
		message: `${what} is refused by the kernel: no`,
		remedy: "",
		since: moment,
		link: "/uplinks",
		affects: [],
		affects_total: 0,
	});
	const problems = [refused("uplink fibre"), refused("uplink fibre: network 192.0.2.0/24")];
	answer(listed({ ...answers, "GET /problems": { version: 1, problems, unknown: [], counts: { error: 2 } } }));
	renderApp([feature], "/uplinks/u1");
	await waitFor(() => expect(document.querySelectorAll(".gw-object-notice")).toHaveLength(2), wait);
	expect(said.mock.calls.filter(([text]) => String(text).includes("same key"))).toEqual([]);
	said.mockRestore();
}, 60_000);

test("the palette finds uplinks", async () => {
	answer(listed(answers));
	const signal = new AbortController().signal;
	const found = await feature.palette!({ query: "fib", admin: false, t: (key) => key, signal });
	expect(found.map(({ title, to }) => [title, to])).toEqual([["fibre eth0", "/uplinks/u1"]]);
});
