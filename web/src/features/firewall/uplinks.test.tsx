import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { answers, rules } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./RulesTab"), import("@ui/ResourceForm"), import("./ruleForm")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };

test("a rule shows the uplink group that its connections leave by", async () => {
	const phones = { ...rules[0], id: "r7", name: "Phones", uplink_group_id: "u1" };
	answer({ ...common, "GET /firewall/rules": () => ok([phones, rules[1]], { "X-Total-Count": "2" }) });
	renderApp([feature], "/firewall");
	const list = await screen.findByRole("list", { name: "Rules" }, wait);
	const [first, second] = within(list).getAllByRole("listitem");
	expect(await within(first!).findByText("Uplink group voice", undefined, wait)).toBeTruthy();
	expect(within(second!).queryByText(/Uplink group/)).toBeNull();
}, 30_000);

test("the uplink group is chosen in the form of a rule that accepts, said and saved", async () => {
	const seen = answer({
		...common,
		"GET /firewall/service-groups": () => ok([]),
		"POST /firewall/rules": () => ok({ ...rules[0], id: "r9" }),
	});
	const start = { name: "x", action: "drop", src_zone: "lan", dst_zone: "wan" };
	renderApp([feature], `/firewall?do=create&id=${encodeURIComponent(JSON.stringify(start))}`);
	const user = userEvent.setup();
	const action = await screen.findByRole("combobox", { name: /^Action/ }, wait);
	await user.click(screen.getByText("Advanced"));
	expect(screen.queryByRole("combobox", { name: /Uplink group/ })).toBeNull();
	await user.selectOptions(action, "accept");
	await user.selectOptions(await screen.findByRole("combobox", { name: /Uplink group/ }, wait), "voice (IPv4)");
	const words = "Accept any service from lan to wan, by the uplink group voice.";
	expect(await screen.findByText(words, undefined, wait)).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Create" }));
	const posts = () => seen.filter((request) => request.method === "POST");
	await waitFor(() => expect(posts()).toHaveLength(1), wait);
	expect(await posts()[0]!.json()).toMatchObject({ action: "accept", uplink_group_id: "u1" });
}, 30_000);
