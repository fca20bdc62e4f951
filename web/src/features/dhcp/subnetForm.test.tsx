import { queryClient, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed } from "../../test/server";
import { feature } from ".";
import { networkOf } from "./network";

const meta = { revision: 1, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const six = { family: "inet6", local: "2001:db8::11", prefixlen: 64, scope: "global" };
const link = (ifname: string, local: string, prefixlen: number) => ({
	...{ ifname, flags: ["UP"] },
	addr_info: [six, { family: "inet", local, prefixlen, scope: "global" }],
});
const answers = {
	"GET /system/health": { version: "1.0.0", database: true, setup_complete: true },
	"GET /auth/me": { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false },
	"GET /dhcp/status": { uptime: 9, sockets: "ready", interfaces: [] },
	"GET /dhcp/subnets": [],
	"GET /network-interfaces": ["eth0", "eth1"].map((name) => ({ ...meta, id: name, name, role: "lan" })),
	"GET /system/interfaces": [link("eth0", "192.0.2.11", 24), link("eth1", "198.51.100.77", 26)],
};
const wait = { timeout: 20_000 };

beforeAll(async () => {
	setUp();
	await Promise.all([import("./DhcpPage"), import("./subnetForm")]);
}, 120_000);
beforeEach(() => queryClient.clear());

test("the interface that is chosen fills in its network and gateway, and nothing over what is typed", async () => {
	answer(listed(answers));
	renderApp([feature], "/dhcp?tab=subnets&do=create");
	const user = userEvent.setup();
	const form = within(await screen.findByRole("dialog", { name: "Create subnet" }, wait));
	const box = (name: RegExp) => form.getByRole("textbox", { name }) as HTMLInputElement;
	const choice = await form.findByRole("combobox", { name: /Interface/ }, wait);
	await form.findByRole("option", { name: /eth1/ }, wait);
	await user.selectOptions(choice, "eth0");
	await waitFor(() => expect(box(/Network/).value).toBe("192.0.2.0/24"), wait);
	expect(box(/Gateway/).value).toBe("192.0.2.11");
	await user.clear(box(/Gateway/));
	await user.type(box(/Gateway/), "198.51.100.65");
	await user.selectOptions(choice, "eth1");
	await waitFor(() => expect(box(/Network/).value).toBe("198.51.100.64/26"), wait);
	expect(box(/Gateway/).value).toBe("198.51.100.65");
}, 60_000);

test("the network of an address", () => {
	expect(["192.0.2.9/24", "10.9.200.7/12", "192.0.2.130/25", "192.0.2.9/32", "192.0.2.9/0"].map(networkOf)).toEqual([
		"192.0.2.0/24",
		"10.0.0.0/12",
		"192.0.2.128/25",
		"192.0.2.9/32",
		"0.0.0.0/0",
	]);
});
