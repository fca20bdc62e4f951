import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature } from ".";
import { opensEverything } from "./everywhere";
import { answers, meta, rules } from "./fixture";
import type { Rule } from "./rules";

const [web] = rules;
const wide = { ...web!, id: "r9", name: "Wide", enabled: false, src_zone: "any", dst_zone: "any" };
const open = { ...wide, dst_kind: "cidr", dst_object_id: null, dst_cidr: "0.0.0.0/0", service_object_id: null };

beforeAll(async () => {
	setUp();
	await Promise.all([import("./RulesTab"), import("./EnableDialog")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const address = (id: string, value: string) => [
	`GET /firewall/address-objects/${id}`,
	() => ok({ ...meta, id, name: id, kind: "network", value, addresses: [] }),
];

test.each([
	["any to 0.0.0.0/0", {}, true],
	["a drop", { action: "drop" }, false],
	["from one zone", { src_zone: "lan" }, false],
	["to a network", { dst_cidr: "10.0.0.0/8" }, false],
	["to an object", { dst_kind: "object", dst_object_id: "small" }, false],
	["to an object that is everything", { dst_kind: "object", dst_object_id: "all" }, true],
	["to a group with it", { dst_kind: "group", dst_group_id: "g" }, true],
])("what opens everything: %s", async (_, more, want) => {
	answer({
		...Object.fromEntries([address("small", "192.0.2.0/24"), address("all", "::/0")]),
		"GET /firewall/address-groups/g": () => ok({ ...meta, id: "g", name: "g", members: ["small", "all"] }),
	});
	expect(await opensEverything({ ...open, ...more } as Rule)).toBe(want);
});

test("enabling a rule that accepts everything asks first", async () => {
	const wait = { timeout: 15_000 };
	const seen = answer({
		...Object.fromEntries(
			Object.entries(answers).map(([request, data]) => [
				request,
				() => ok(data, Array.isArray(data) ? { "X-Total-Count": String(data.length) } : {}),
			]),
		),
		"GET /firewall/rules": () => ok([open], { "X-Total-Count": "1" }),
		"GET /firewall/rules/r9": () => ok(open),
		"PUT /firewall/rules/r9": () => ok({ ...open, enabled: true, revision: 4 }),
	});
	const sent = () => seen.filter((request) => request.method === "PUT");
	renderApp([feature], "/firewall");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Actions for Wide" }, wait));
	await user.click(await screen.findByRole("menuitem", { name: "Enable" }, wait));
	const dialog = await screen.findByRole("dialog", { name: /Enable Wide\?/ }, wait);
	expect(sent()).toHaveLength(0);
	await user.click(within(dialog).getByRole("button", { name: "Enable" }));
	await waitFor(() => expect(sent()).toHaveLength(1), wait);
	expect(await sent()[0]!.json()).toMatchObject({ enabled: true, dst_cidr: "0.0.0.0/0" });
}, 60_000);
