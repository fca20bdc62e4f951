import { queryClient, session, setUp } from "@api";
import { act, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";
import { address, answers, interfaces } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([
		import("./InterfacesPage"),
		import("./InterfacePage"),
		import("./InterfaceSettings"),
		import("@ui/ResourceForm"),
	]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };

const sent = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

test("interfaces are drawn as they stand on each other, with how they are right now", async () => {
	answer(common);
	renderApp([feature], "/interfaces");
	const drawing = await screen.findByRole("region", { name: "How the interfaces are connected" }, wait);
	const box = (name: RegExp) => within(drawing).findByRole("link", { name }, wait);
	expect((await box(/^bond0 Bond Built on eth1, eth3\..*No carrier/)).getAttribute("href")).toBe("/interfaces/i2");
	expect((await box(/^eth0 Ethernet.*In zone wan\..*Up/)).getAttribute("href")).toBe("/interfaces/i1");
	await box(/^bond0\.20 VLAN 20 Built on bond0\..*Missing/);
	// Not configured: one that the kernel alone knows, and a member that it does not.
	expect((await box(/^eth2 Not configured.*Down/)).getAttribute("href")).toBe("/interfaces?do=create&id=eth2");
	await box(/^eth3 Port.*Missing/);
	await box(/Zone lan/);
	expect(screen.getByText("1 interface up, 1 without carrier, 1 missing")).toBeTruthy();
}, 30_000);

test("the list says zone, type, state and the addresses that the kernel has", async () => {
	answer(common);
	renderApp([feature], "/interfaces");
	const row = (await screen.findByRole("link", { name: "eth0" }, wait)).closest("tr") as HTMLElement;
	expect(within(row).getByText("192.0.2.1/24")).toBeTruthy();
	expect(within(row).getByText("wan")).toBeTruthy();
	expect(await within(row).findByText("Up", undefined, wait)).toBeTruthy();
}, 30_000);

test("interfaces without a zone are offered", async () => {
	answer(common);
	renderApp([feature], "/interfaces");
	await userEvent.setup().click(await screen.findByRole("button", { name: "Assign eth2 to a zone" }, wait));
	const name = (await screen.findByRole("combobox", { name: /Name/ }, wait)) as HTMLInputElement;
	expect(name.value).toBe("eth2");
}, 30_000);

test("the form asks what the type needs, and sends nothing else", async () => {
	const seen = answer({
		...common,
		"POST /network-interfaces": () => ok({ ...interfaces[1], name: "bond1" }, {}, 201),
	});
	renderApp([feature], "/interfaces?do=create");
	const user = userEvent.setup();
	const dialog = await screen.findByRole("dialog", { name: "Add interface" }, wait);
	const type = await within(dialog).findByRole("combobox", { name: /^Type/ }, wait);
	await user.selectOptions(type, "vlan");
	await user.type(within(dialog).getByRole("combobox", { name: /Parent interface/ }), "eth1");
	expect(within(dialog).getByRole("spinbutton", { name: /VLAN ID/ })).toBeTruthy();
	await user.selectOptions(type, "bridge");
	expect(within(dialog).getByRole("switch", { name: /Spanning tree/ })).toBeTruthy();
	await user.selectOptions(type, "bond");
	expect(within(dialog).queryByRole("switch", { name: /Spanning tree/ })).toBeNull();
	await user.type(within(dialog).getByRole("combobox", { name: /^Name/ }), "bond1");
	await user.click(await within(dialog).findByRole("checkbox", { name: "eth1" }, wait));
	await user.selectOptions(within(dialog).getByRole("combobox", { name: /Bond mode/ }), "802.3ad");
	await user.selectOptions(within(dialog).getByRole("combobox", { name: /LACP rate/ }), "fast");
	expect(within(dialog).queryByRole("combobox", { name: /Primary member/ })).toBeNull();
	// What becomes a member may be the way to here.
	const back = within(dialog).getByRole("switch", { name: /Revert automatically/ }) as HTMLInputElement;
	expect(back.checked).toBe(true);
	await user.click(within(dialog).getByRole("button", { name: "Create" }));
	await waitFor(() => expect(sent(seen, "POST", "/network-interfaces")).toHaveLength(1), wait);
	const [request] = sent(seen, "POST", "/network-interfaces");
	expect(await request!.json()).toEqual({
		name: "bond1",
		type: "bond",
		members: ["eth1"],
		bond_mode: "802.3ad",
		lacp_rate: "fast",
	});
	expect(Number(request!.headers.get("Gateway-Confirm-Within"))).toBeGreaterThan(0);
}, 30_000);

test("a page of an interface has its counters, its addresses and its settings", async () => {
	const problem = {
		code: "network.conflict",
		severity: "warning",
		params: { what: "address 192.0.2.9/24 on eth0", why: "another program has set this address already" },
		message: "",
		remedy: "",
		subject: { kind: "interface", id: "address 192.0.2.9/24 on eth0", name: "eth0" },
		link: "/interfaces/i1?tab=addresses",
		since: "2026-01-01T00:00:00Z",
	};
	answer({ ...common, "GET /problems": () => ok({ version: 1, problems: [problem], unknown: [], counts: {} }) });
	renderApp([feature], "/interfaces/i1");
	const user = userEvent.setup();
	expect(await screen.findByRole("heading", { level: 1, name: "eth0" }, wait)).toBeTruthy();
	expect(await screen.findByText("02:00:00:00:00:01", undefined, wait)).toBeTruthy();
	expect(screen.getByText(/^address 192\.0\.2\.9\/24 on eth0 conflicts with another program/)).toBeTruthy();
	await user.click(screen.getByRole("tab", { name: "IP addresses" }));
	const here = (await screen.findByText("192.0.2.1/24", undefined, wait)).closest("tr") as HTMLElement;
	expect(await within(here).findByText("Live", undefined, wait)).toBeTruthy();
	const gone = (await screen.findByText("192.0.2.9/24", undefined, wait)).closest("tr") as HTMLElement;
	expect(within(gone).getByText("Not applied")).toBeTruthy();
	expect(within(gone).getByText(/^Address 192\.0\.2\.9\/24 on eth0 is not in the kernel/)).toBeTruthy();
	await user.click(screen.getByRole("tab", { name: "Settings" }));
	const name = (await screen.findByRole("combobox", { name: /^Name/ }, wait)) as HTMLInputElement;
	expect(name.value).toBe("eth0");
}, 30_000);

test("a new address belongs to its interface", async () => {
	const seen = answer({ ...common, "POST /ip-addresses": () => ok({ ...address, id: "a3" }, {}, 201) });
	renderApp([feature], "/interfaces/i1?tab=addresses&do=create");
	const user = userEvent.setup();
	const dialog = await screen.findByRole("dialog", { name: "Add IP address" }, wait);
	await user.type(await within(dialog).findByRole("textbox", { name: /^Address/ }, wait), "192.0.2.1");
	await user.type(within(dialog).getByRole("spinbutton", { name: /Prefix length/ }), "24");
	await user.click(within(dialog).getByRole("button", { name: "Create" }));
	await waitFor(() => expect(sent(seen, "POST", "/ip-addresses")).toHaveLength(1), wait);
	const body = await sent(seen, "POST", "/ip-addresses")[0]!.json();
	expect(body).toEqual({ interface_id: "i1", address: "192.0.2.1", prefix: 24, is_vip: false });
}, 30_000);

test("addresses of one interface never show under another", async () => {
	answer({
		...common,
		"GET /network-interfaces/i2/ip-addresses": () => new Promise<never>(() => {}),
	});
	const { router } = renderApp([feature], "/interfaces/i2");
	expect(await screen.findByRole("heading", { level: 1, name: "bond0" }, wait)).toBeTruthy();
	const go = (id: string) => act(() => router.navigate({ to: `/interfaces/${id}`, search: { tab: "addresses" } }));
	await go("i1");
	expect(await screen.findByText("192.0.2.9/24", undefined, wait)).toBeTruthy();
	await go("i2");
	await screen.findByRole("heading", { level: 1, name: "bond0" }, wait);
	await waitFor(() => expect(screen.queryByText("192.0.2.9/24")).toBeNull(), { timeout: 5_000 });
}, 60_000);

test("an address by which somebody came in goes only with a way back", async () => {
	const seen = answer({
		...common,
		"DELETE /ip-addresses/a1": (request) =>
			request.headers.get("Gateway-Confirm-Within")
				? ok(null)
				: refusal(409, { code: "would_lock_out", message: "you would lose access" }),
	});
	renderApp([feature], "/interfaces/i1?tab=addresses&do=delete&id=a1");
	const user = userEvent.setup();
	const dialog = await screen.findByRole("dialog", { name: /Delete IP address/ }, wait);
	// It is on by default; whoever turns it off is asked once more.
	await user.click(await within(dialog).findByRole("switch", { name: /Revert automatically/ }, wait));
	await user.click(within(dialog).getByRole("button", { name: "Delete IP address" }));
	const question = await screen.findByText("You would lose access.", undefined, wait);
	expect(question).toBeTruthy();
	await user.click(await screen.findByRole("button", { name: /60/ }, wait));
	await waitFor(() => expect(sent(seen, "DELETE", "/ip-addresses/a1")).toHaveLength(2), wait);
	expect(sent(seen, "DELETE", "/a1").map((one) => one.headers.get("Gateway-Confirm-Within"))).toEqual([null, "60"]);
}, 30_000);

test("a viewer sees all, and can change nothing", async () => {
	const viewer = { ...(answers["GET /auth/me"] as object), role: "viewer" };
	answer({ ...common, "GET /auth/me": () => ok(viewer) });
	renderApp([feature], "/interfaces");
	await screen.findByRole("link", { name: "eth0" }, wait);
	expect(screen.queryByRole("button", { name: /Assign|Add interface/ })).toBeNull();
	expect(screen.queryByRole("link", { name: /eth2 Not configured/ })).toBeNull();
}, 30_000);
