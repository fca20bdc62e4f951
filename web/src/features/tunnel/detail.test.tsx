import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";

const moment = "2026-01-01T00:00:00Z";
const meta = { revision: 1, created_at: moment, updated_at: moment };
const tunnel = {
	...meta,
	id: "t1",
	name: "wg1",
	mode: "server",
	active: true,
	address_cidr: "10.8.0.1/24",
	listen_port: 51820,
	public_key: "PUBLIC",
	endpoint: "vpn.example.com",
	description: "",
};
const peer = (id: string, more: object = {}) => ({
	...meta,
	id,
	name: id,
	interface_id: "t1",
	active: true,
	public_key: id,
	allowed_ips: ["10.8.0.2/32"],
	...more,
});
const now = new Date().toISOString();
const change = (id: string, subject: string) => ({
	...meta,
	id,
	action: "tunnel.interface.update",
	subject,
	actor: "ann@example.com",
	apply: "live",
	rows: 1,
});
const answers = {
	"GET /system/health": { version: "1.0.0", hostname: "gw1", database: true, setup_complete: true },
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /problems/states/tunnel": { known: true, states: {} },
	"GET /problems/states/tunnel_peer": {
		known: true,
		states: { laptop: { state: "never", code: "", message: "", params: {} } },
	},
	"GET /tunnel/interfaces": [tunnel],
	"GET /tunnel/interfaces/t1": tunnel,
	"GET /tunnel/peers": [peer("phone"), peer("laptop")],
	"GET /tunnel/status": { phone: { last_handshake: now, rx: 1000, tx: 2000 } },
	"GET /changes": [change("c1", "wg1"), change("c2", "wg10")],
};

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./TunnelPage"), import("./TunnelDetailPage"), import("./TunnelSettings")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 20_000 };

test("a tunnel has a page with its state, who is connected, and its own last changes", async () => {
	const seen = answer(listed(answers));
	renderApp([feature], "/tunnels/t1");
	expect(await screen.findByRole("heading", { level: 1, name: "wg1" }, wait)).toBeTruthy();
	expect(await screen.findByText("Up", undefined, wait)).toBeTruthy();
	const figures = await screen.findByRole("region", { name: "Overview" }, wait);
	await waitFor(() => expect(figures.textContent).toContain("Connected peers1of 2 peers"), wait);
	expect(screen.getByText("PUBLIC")).toBeTruthy();
	const links = (await screen.findAllByRole("link", { name: "Tunnel changed" }, wait)).map((one) =>
		one.getAttribute("href"),
	);
	expect(links).toEqual(["/changes/c1"]);
	const asked = seen.map(({ url }) => new URL(url)).filter(({ pathname }) => pathname.endsWith("/changes"));
	const tables = asked.map(({ searchParams: query }) => [query.get("table"), query.get("q")]);
	expect(tables).toContainEqual(["tunnel_interfaces", "wg1"]);
}, 60_000);

test("what is not known of a tunnel is neither green nor counted", async () => {
	answer({
		...listed(answers),
		"GET /problems/states/tunnel": () => ok({ known: false, states: {} }),
		"GET /problems/states/tunnel_peer": () => ok({ known: false, states: {} }),
		"GET /tunnel/status": () => refusal(503, { code: "daemon_silent", message: "it hangs" }),
	});
	renderApp([feature], "/tunnels/t1");
	expect(await screen.findByText("Unknown", undefined, wait)).toBeTruthy();
	const figures = await screen.findByRole("region", { name: "Overview" }, wait);
	await waitFor(() => expect(figures.textContent).toContain("Connected peers–of 2 peers"), wait);
	expect(document.querySelector('.gw-object-head [data-status="success"]')).toBeNull();
}, 60_000);

test("the peers of a tunnel are on its page, and the list leads there", async () => {
	const seen = answer(listed(answers));
	const { history } = renderApp([feature], "/tunnels?tab=tunnels");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("link", { name: "wg1" }, wait));
	await waitFor(() => expect(history.location.pathname).toBe("/tunnels/t1"), wait);
	await user.click(await screen.findByRole("tab", { name: "Peers" }, wait));
	const table = await screen.findByRole("table", { name: "Peers" }, wait);
	expect(await within(table).findByText("laptop", undefined, wait)).toBeTruthy();
	const lists = seen.filter(({ url }) => url.includes("/tunnel/peers?"));
	expect(lists.map(({ url }) => new URL(url).searchParams.get("filter"))).toContain("interface_id:t1");
}, 60_000);

test("the palette finds tunnels and peers", async () => {
	answer(listed(answers));
	const signal = new AbortController().signal;
	const found = await feature.palette!({ query: "wg", admin: true, t: (key) => key, signal });
	expect(found.map(({ to }) => to)).toEqual([
		"/tunnels?tab=tunnels&do=create",
		"/tunnels?tab=peers&do=create",
		"/tunnels/t1",
		"/tunnels/t1?tab=peers&q=phone",
		"/tunnels/t1?tab=peers&q=laptop",
	]);
});

test("the page begins with the tunnels while there is none, and with the peers afterwards", async () => {
	answer({ ...listed(answers), ...listed({ "GET /tunnel/interfaces": [], "GET /tunnel/peers": [] }) });
	const { history } = renderApp([feature], "/tunnels");
	const selected = (name: string) => screen.findByRole("tab", { name, selected: true }, wait);
	expect(await selected("Tunnels")).toBeTruthy();
	await userEvent.setup().click(screen.getByRole("tab", { name: "Peers" }));
	expect(await selected("Peers")).toBeTruthy();
	expect(history.location.href).toBe("/tunnels?tab=peers");
}, 60_000);
