import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { answers, routes } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./RoutesPage"), import("@ui/ResourceForm")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };

const sent = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

test("a configured route that the kernel does not have is marked", async () => {
	answer(common);
	renderApp([feature], "/routes");
	const row = async (text: string) => (await screen.findByText(text, undefined, wait)).closest("tr") as HTMLElement;
	expect(await within(await row("10.0.0.0/8")).findByText("Live", undefined, wait)).toBeTruthy();
	expect(await within(await row("198.51.100.0/24")).findByText("Not applied", undefined, wait)).toBeTruthy();
	expect(within(await row("203.0.113.0/24")).getByText("Disabled")).toBeTruthy();
}, 30_000);

test("the kernel's routes stand beside the configured ones, what is missing first", async () => {
	answer(common);
	renderApp([feature], "/routes?tab=kernel");
	const table = await screen.findByRole("table", { name: "Routes of the kernel" }, wait);
	await within(table).findByText("198.51.100.0/24", undefined, wait);
	await within(table).findByText("Missing", undefined, wait); // states come in an answer of their own
	const lines = within(table).getAllByRole("row").slice(1);
	const text = lines.map((line) => [...line.querySelectorAll("td")].map((cell) => cell.textContent).join("|"));
	expect(text).toEqual([
		"198.51.100.0/24|–|via 192.0.2.254|Missing|–|0|main",
		"0.0.0.0/0|via 192.0.2.1 dev eth0|–|–|dhcp|0|main",
		"10.0.0.0/8|via 192.0.2.254 dev eth0|via 192.0.2.254|Live|gateway|0|main",
		"192.0.2.0/24|dev eth0|–|–|kernel|0|main",
	]);
}, 30_000);

test("a route is saved with all that the API takes", async () => {
	const seen = answer({ ...common, "PUT /routes/r1": () => ok({ ...routes[0], revision: 4 }) });
	renderApp([feature], "/routes?do=edit&id=r1");
	const user = userEvent.setup();
	const dialog = await screen.findByRole("dialog", { name: "Edit route" }, wait);
	await user.type(await within(dialog).findByRole("combobox", { name: /Interface/ }, wait), "eth0");
	await user.click(within(dialog).getByText("Advanced"));
	await user.type(within(dialog).getByRole("spinbutton", { name: /Metric/ }), "50");
	await user.click(within(dialog).getByRole("switch", { name: /onlink/ }));
	await user.click(within(dialog).getByRole("button", { name: "Save" }));
	await waitFor(() => expect(sent(seen, "PUT", "/routes/r1")).toHaveLength(1), wait);
	expect(await sent(seen, "PUT", "/routes/r1")[0]!.json()).toEqual({
		destination: "10.0.0.0/8",
		type: "unicast",
		gateway: "192.0.2.254",
		dev: "eth0",
		active: true,
		metric: 50,
		table_name: "main",
		onlink: true,
	});
	expect(sent(seen, "PUT", "/routes/r1")[0]!.headers.get("If-Match")).toBe('"3"');
}, 30_000);
