import { type DhcpCell, queryClient, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";
import { labelOf } from "./leases";
import { kindOf } from "./Pools";

const identity = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const subnet = {
	...meta,
	id: "s1",
	interface: "eth1",
	subnet: "192.0.2.0/24",
	pools: [],
	active: true,
	lease_time: 60,
};
const lease = {
	address: "192.0.2.100",
	mac: "02:00:5e:00:53:01",
	random_mac: true,
	client_id: "",
	hostname: "<img src=x onerror=alert(1)>",
	state: "assigned",
	subnet_id: "s1",
	reservation_id: "",
	first_seen: meta.created_at,
	last_seen: meta.created_at,
	expires_at: meta.created_at,
};
const status = {
	uptime: 9,
	sockets: "ready",
	interfaces: [{ interface: "eth1", zone: "lan", listening: true, subnets: ["192.0.2.0/24"] }],
};
const common = {
	"GET /auth/me": () => ok(identity),
	"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
	"GET /dhcp/status": () => ok(status),
	"GET /dhcp/subnets": () => ok([subnet], { "X-Total-Count": "1" }),
	"GET /dhcp/leases": () => ok([lease], { "X-Total-Count": "1" }),
};

beforeAll(async () => {
	setUp();
	await import("./DhcpPage");
}, 60_000);
beforeEach(() => queryClient.clear());

test("a lease becomes a reservation with one click, and its name is text", async () => {
	let sent: unknown;
	answer({
		...common,
		"POST /dhcp/reservations": async (request) => {
			sent = await request.json();
			return ok({ ...meta, id: "r1" }, { "Gateway-Change": "c1", "Gateway-Apply": "live" });
		},
	});
	renderApp([feature], "/dhcp");
	const user = userEvent.setup();
	expect(await screen.findByText(lease.hostname, undefined, { timeout: 15_000 })).toBeTruthy();
	expect(await screen.findByText(/zone lan/)).toBeTruthy();
	expect(document.querySelector("img[src=x]")).toBeNull();
	await user.click(await screen.findByRole("button", { name: /Actions/ }));
	await user.click(await screen.findByRole("menuitem", { name: "Make static" }));
	expect(await screen.findByText("192.0.2.100 is reserved for this client")).toBeTruthy();
	expect(sent).toEqual({
		subnet_id: "s1",
		address: "192.0.2.100",
		mac: lease.mac,
		client_id: "",
		hostname: "",
		description: "",
	});
}, 40_000);

test("without a server the page says so, and what to do first", async () => {
	answer({
		...common,
		"GET /dhcp/status": () => refusal(503, { code: "dhcp_unavailable", message: "it sleeps" }),
		"GET /dhcp/subnets": () => ok([], { "X-Total-Count": "0" }),
		"GET /dhcp/leases": () => ok([], { "X-Total-Count": "0" }),
	});
	renderApp([feature], "/dhcp");
	expect(await screen.findByText(/it sleeps/i, undefined, { timeout: 15_000 })).toBeTruthy();
	expect(await screen.findByText(/Create a subnet first/)).toBeTruthy();
}, 40_000);

test("an interface at which the server does not listen is not said to have an open port", async () => {
	const away = { interface: "eth9", zone: "lan", listening: false, subnets: ["198.51.100.0/24"] };
	answer({ ...common, "GET /dhcp/status": () => ok({ ...status, interfaces: [...status.interfaces, away] }) });
	renderApp([feature], "/dhcp");
	const card = await screen.findByRole("region", { name: "Interfaces" }, { timeout: 15_000 });
	expect(await within(card).findByText("eth1 · zone lan, UDP port 67 open")).toBeTruthy();
	expect(within(card).getByText("eth9 · zone lan")).toBeTruthy();
}, 40_000);

const off = () => refusal(409, { code: "switched_off", message: "the DHCP server is switched off" });

test.each([
	["no subnet", [], "Create subnet", "/dhcp?tab=subnets&do=create"],
	["a subnet", [subnet], "Open its settings", "/dhcp?tab=settings"],
])(
	"while the server is off and there is %s, the leases say the first step, and no more than once that it is off",
	async (_, subnets, step, to) => {
		answer({
			...common,
			"GET /problems/states/dhcp-server": () => ok({ known: true, states: { dhcp: { state: "off" } } }),
			"GET /dhcp/status": off,
			"GET /dhcp/subnets": () => ok(subnets, { "X-Total-Count": String(subnets.length) }),
			"GET /dhcp/leases": off,
		});
		const { history } = renderApp([feature], "/dhcp");
		const panel = await screen.findByRole("tabpanel", undefined, { timeout: 15_000 });
		expect(await within(panel).findByRole("heading", { name: "No leases" })).toBeTruthy();
		await waitFor(() => expect(screen.getAllByText(/switched off/i)).toHaveLength(1));
		await userEvent.setup().click(await within(panel).findByRole("button", { name: step }));
		await waitFor(() => expect(history.location.href).toBe(to));
	},
	40_000,
);

test.each([
	["", undefined, "Serving", "success"],
	["degraded", "pool_full", "Degraded", "warning"],
	["not_applied", "not_applied", "Not applied", "danger"],
	["unknown", "not_answering", "Unknown", "neutral"],
	["off", undefined, "Switched off", "neutral"],
])(
	"a subnet whose state is %j, %s, is shown as %s",
	async (state, code, word, look) => {
		const states = state ? { s1: { state, code: code ? `dhcp.${code}` : "", params: {}, message: "" } } : {};
		answer({ ...common, "GET /problems/states/dhcp-subnet": () => ok({ known: true, states }) });
		renderApp([feature], "/dhcp?tab=subnets");
		const panel = await screen.findByRole("tabpanel", undefined, { timeout: 15_000 });
		const label = await within(panel).findByText(word, undefined, { timeout: 15_000 });
		expect(label.closest("[data-status]")?.getAttribute("data-status")).toBe(look);
	},
	40_000,
);

test("each pool of a subnet has a line, and no column is too narrow for its heading", async () => {
	const pools = ["192.0.2.100-192.0.2.199", "192.0.2.210-192.0.2.219"];
	answer({ ...common, "GET /dhcp/subnets": () => ok([{ ...subnet, pools }], { "X-Total-Count": "1" }) });
	renderApp([feature], "/dhcp?tab=subnets");
	for (const pool of pools) expect(await screen.findByText(pool, undefined, { timeout: 15_000 })).toBeTruthy();
	const widths = screen.getAllByRole("columnheader").map((head) => Number.parseInt(head.style.width || "15", 10));
	expect(Math.min(...widths)).toBeGreaterThanOrEqual(15);
}, 40_000);

test("the part of a client's name that is a name", () => {
	expect(["Laptop", "a.evil.example", "wpad", "-a", "", "a b", "x".repeat(64)].map(labelOf)).toEqual([
		"laptop",
		"a",
		"",
		"",
		"",
		"",
		"",
	]);
});

test("what a cell shows is what most of it is used for", () => {
	const cell = (leased: number, reserved: number, declined: number) => ({ leased, reserved, declined }) as DhcpCell;
	expect([cell(0, 0, 0), cell(1, 0, 0), cell(1, 2, 0), cell(0, 0, 3)].map(kindOf)).toEqual([
		"free",
		"leased",
		"reserved",
		"declined",
	]);
});
