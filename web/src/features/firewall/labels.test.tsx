import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { answers, meta, rules } from "./fixture";

const [web, mail, old] = rules;
const labelled = [{ ...web!, labels: ["voice"] }, { ...mail!, labels: ["old", "voice"] }, old!];
const nat = {
	...meta,
	id: "n1",
	name: "Port",
	kind: "dnat",
	in_zone: "wan",
	protocol: "tcp",
	priority: 1,
	enabled: true,
};
const common = listed({
	...answers,
	"GET /firewall/rules": labelled,
	"GET /nat-rules": [{ ...nat, labels: ["shop"], source_cidr: "", destination_cidr: "", note: "", warning: "" }],
});

beforeAll(async () => {
	setUp();
	await Promise.all([import("./RulesTab"), import("./NatTab"), import("./LabelDialog")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };

/** open ticks all rows of a list, and opens the question about their labels. */
async function open(page: string) {
	const seen = answer({ ...common, "POST /batch": () => ok({ results: [] }) });
	renderApp([feature], page);
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select all that match" }, wait));
	await user.click(await screen.findByRole("button", { name: "Edit labels" }, wait));
	const dialog = await screen.findByRole("dialog", { name: "Edit labels" }, wait);
	const send = () => user.click(within(dialog).getByRole("button", { name: "Edit labels" }));
	const sent = async () => {
		await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull(), wait);
		const batches = seen.filter(({ url }) => url.endsWith("/batch"));
		expect(batches).toHaveLength(1);
		const { operations } = (await batches[0]!.json()) as { operations: { path: string; body: { labels: string[] } }[] };
		return operations.map(({ path, body }) => `${path} ${body.labels.join()}`);
	};
	return { user, dialog, send, sent };
}

test("labels are added to many rules by one request; who has them is skipped", async () => {
	const { user, dialog, send, sent } = await open("/firewall");
	await send();
	expect(await within(dialog).findByText("Enter or choose at least one label.")).toBeTruthy();
	await user.type(within(dialog).getByRole("textbox", { name: "Labels" }), "voice{Enter}old");
	expect(within(dialog).getByText(/They have these labels already/)).toBeTruthy();
	await send();
	expect(await sent()).toEqual(["/firewall/rules/r1 voice,old", "/firewall/rules/r3 voice,old"]);
}, 40_000);

test("labels are removed where they are", async () => {
	const { user, dialog, send, sent } = await open("/firewall");
	await user.click(within(dialog).getByRole("radio", { name: "Remove labels" }));
	await user.click(within(dialog).getByRole("checkbox", { name: "voice" }));
	await send();
	expect(await sent()).toEqual(["/firewall/rules/r1 ", "/firewall/rules/r2 old"]);
}, 40_000);

test("NAT rules show their labels, and get some too", async () => {
	const { user, dialog, send, sent } = await open("/firewall?tab=nat");
	expect(screen.getByTitle("shop")).toBeTruthy();
	await user.type(within(dialog).getByRole("textbox", { name: "Labels" }), "web shop");
	await send();
	expect(await sent()).toEqual(["/nat-rules/n1 shop,web shop"]);
}, 40_000);
