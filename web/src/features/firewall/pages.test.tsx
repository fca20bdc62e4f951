import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { answers, printers } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([
		import("./MatrixTab"),
		import("./ObjectsPage"),
		import("./ConnectionsPage"),
		import("./ExplainDialog"),
	]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const sent = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

const wait = { timeout: 15_000 };

const matrix = {
	zones: [
		{ name: "lan", interfaces: 1 },
		{ name: "wan", interfaces: 1 },
	],
	cells: [
		{
			src: "lan",
			dst: "wan",
			reach: "some",
			services: ["tcp/80", "tcp/443"],
			service_count: 2,
			except: ["tcp/0-79"],
			except_count: 9,
			some_addresses: false,
			decided: [{ kind: "rule", id: "r1", name: "Web", action: "accept" }],
			more: false,
		},
	],
};

test("a cell of the matrix says what passes and leads to the rule that decides", async () => {
	answer({ ...common, "GET /firewall/matrix": () => ok(matrix) });
	const { history } = renderApp([feature], "/firewall?tab=matrix");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: /Some: 2 services.*from lan to wan/ }, wait));
	const dialog = await screen.findByRole("dialog", { name: /From lan to wan/ }, wait);
	expect(within(dialog).getByText("tcp/443")).toBeTruthy();
	await user.click(within(dialog).getByRole("link", { name: "Web" }));
	await waitFor(() => expect(history.location.search).toContain("id=r1"), wait);
}, 30_000);

test("a new rule from the matrix begins between its zones", async () => {
	answer({ ...common, "GET /firewall/matrix": () => ok(matrix) });
	renderApp([feature], "/firewall?tab=matrix");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: /Some: 2 services/ }, wait));
	await user.click(await screen.findByRole("button", { name: "New rule" }, wait));
	const source = (await screen.findByRole("combobox", { name: /Source zone/ }, wait)) as HTMLSelectElement;
	await waitFor(() => expect(source.value).toBe("lan"), wait);
	expect((screen.getByRole("combobox", { name: /Destination zone/ }) as HTMLSelectElement).value).toBe("wan");
}, 30_000);

test("a packet's way is told with what decided, and the way to it", async () => {
	const trace = {
		verdict: "accept",
		decided: { kind: "rule", id: "r1", name: "Web" },
		local: false,
		out: "eth0",
		uplink_group: "voice",
		steps: [
			{
				stage: "routing",
				kind: "rule",
				id: "r1",
				text: 'rule "Web" sends it to the uplink group "voice"',
				matched: true,
			},
			{ stage: "routing", kind: "route", text: "198.51.100.1 is reached through eth0", matched: true },
			{ stage: "forward", kind: "rule", id: "r2", text: 'rule "Mail" does not match the service', matched: false },
			{ stage: "forward", kind: "rule", id: "r1", text: 'rule "Web": accept', matched: true },
		],
	};
	const seen = answer({ ...common, "POST /firewall/explain": () => ok(trace) });
	const packet = { source: "192.0.2.7", destination: "198.51.100.1", protocol: "tcp", port: 443, interface: "eth2" };
	renderApp([feature], `/firewall?explain=${encodeURIComponent(JSON.stringify(packet))}`);
	const link = await screen.findByRole("link", { name: "by the rule Web" }, wait);
	expect(link.getAttribute("href")).toBe("/firewall?do=edit&id=r1");
	expect(screen.getByText("Mail does not match the service")).toBeTruthy();
	expect(screen.getByText("Leaves by the uplink group voice.")).toBeTruthy();
	expect(screen.getByText("Web sends it to the uplink group voice").tagName).not.toBe("STRONG");
	expect(screen.getByText("Web matches: accept").tagName).toBe("STRONG");
	expect(await sent(seen, "POST", "/explain")[0]!.json()).toEqual(packet);
}, 30_000);

test("what refers to an address is said before it is deleted", async () => {
	answer({
		...common,
		"GET /firewall/address-objects/a1": () => ok(printers),
		"GET /firewall/address-objects/a1/used-by": () =>
			ok([{ kind: "rule", id: "r1", name: "Web", link: "/firewall?do=edit&id=r1" }]),
	});
	renderApp([feature], "/objects?tab=addresses&do=delete&id=a1");
	expect(await screen.findByText("Used in 1 place", undefined, wait)).toBeTruthy();
	expect(screen.getByRole("link", { name: "Web" }).getAttribute("href")).toBe("/firewall?do=edit&id=r1");
}, 30_000);

test("connections are cut by what the filter says, after a question", async () => {
	const one = { protocol: "tcp", source: "192.0.2.7", source_port: 4, destination: "198.51.100.1", port: 22 };
	const reply = { reply_source: "198.51.100.1", reply_destination: "192.0.2.7", packets: 1, bytes: 60, timeout: 9 };
	const seen = answer({
		...common,
		"GET /firewall/connections": () => ok({ total: 1, connections: [{ ...one, ...reply }] }),
		"POST /firewall/connections/cut": () => ok({ cut: 1 }),
	});
	renderApp([feature], "/connections?src=192.0.2.7&port=22");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Terminate all of these" }, wait));
	const dialog = await screen.findByRole("dialog", { name: /Terminate connections/ }, wait);
	await user.click(within(dialog).getByRole("button", { name: "Terminate" }));
	await waitFor(() => expect(sent(seen, "POST", "/cut")).toHaveLength(1), wait);
	expect(await sent(seen, "POST", "/cut")[0]!.json()).toEqual({ src: "192.0.2.7", port: 22 });
}, 30_000);

test.each([
	["/firewall?tab=log&src=192.0.2.7", "/live-log?src=192.0.2.7"],
	["/firewall?tab=connections&port=22", "/connections?port=22"],
	["/firewall?tab=objects&q=printers", "/objects?q=printers&tab=addresses"],
	["/firewall?tab=objects&of=services", "/objects?tab=services"],
	["/firewall?tab=zones", "/objects?tab=zones"],
	["/firewall?tab=zones&of=interfaces&do=edit&id=7", "/interfaces?do=edit&id=7"],
	["/objects?tab=interfaces&do=edit&id=7", "/interfaces?do=edit&id=7"],
	["/firewall/address-groups/7", "/objects/address-groups/7"],
	["/firewall?tab=nat", "/firewall?tab=nat"],
])(
	"the address %s of an older version leads to %s",
	async (from, to) => {
		answer(common);
		const { history } = renderApp([feature], from);
		await waitFor(() => expect(history.location.href).toBe(to), wait);
	},
	30_000,
);

test("a name that no longer resolves is marked beside the addresses of before", async () => {
	const name = {
		...printers,
		id: "a2",
		name: "mirror",
		kind: "fqdn",
		value: "mirror.example",
		addresses: ["192.0.2.9"],
	};
	const stale = { state: "unresolved", code: "", params: {}, message: "no" };
	answer({
		...common,
		...listed({
			"GET /firewall/address-objects": [printers, name],
			"GET /problems/states/address_object": { known: true, states: { a2: stale } },
		}),
	});
	renderApp([feature], "/objects?tab=addresses");
	const row = (await screen.findByText("mirror", undefined, wait)).closest("tr");
	await waitFor(() => expect(row?.textContent).toMatch(/192\.0\.2\.9.*Not resolved/), wait);
	expect((await screen.findByText("printers")).closest("tr")?.textContent).not.toMatch(/Not resolved/);
}, 30_000);
