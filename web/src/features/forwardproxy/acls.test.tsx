import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";
import { acls, answers } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([
		import("./ForwardProxyPage"),
		import("./aclForm"),
		import("@ui/ResourceForm"),
		import("@ui/change/BulkDialog"),
	]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };
const sent = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

test("rules say what they compare, what happens, for whom and when; names of others are text", async () => {
	answer(common);
	renderApp([feature], "/forward-proxy");
	const rows = await screen.findByRole("list", { name: "Access rules" }, wait);
	const [first, second, third] = within(rows).getAllByRole("listitem");
	for (const words of ["example.com", "No downloads", "Deny", "192.0.2.64/26", "Mon–Fri 08:00–18:00", "Enabled"])
		expect(within(first!).getByText(words)).toBeTruthy();
	for (const words of ["GET", "Allow", "All clients", "Always"]) expect(within(second!).getByText(words)).toBeTruthy();
	expect(within(third!).getByText("<b>curl</b>")).toBeTruthy();
	expect(within(third!).getByText("Disabled")).toBeTruthy();
}, 30_000);

test("rules are moved by the keyboard and saved as one order of all", async () => {
	const seen = answer({ ...common, "POST /forward-proxy/acls/order": () => ok(null) });
	renderApp([feature], "/forward-proxy");
	const user = userEvent.setup();
	(await screen.findByRole("button", { name: "Move GET up" }, wait)).focus();
	await user.keyboard("{Enter}");
	await user.click(screen.getByRole("button", { name: "Save order" }));
	await waitFor(() => expect(sent(seen, "POST", "/order")).toHaveLength(1), wait);
	expect(await sent(seen, "POST", "/order")[0]!.json()).toEqual({ rules: ["a2", "a1", "a3"] });
}, 30_000);

test("rules that are ticked are disabled by one request, at their places", async () => {
	const seen = answer({ ...common, "POST /batch": () => ok({ results: [] }) });
	renderApp([feature], "/forward-proxy");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select all that match" }, wait));
	await user.click(within(await screen.findByRole("toolbar", {}, wait)).getByRole("button", { name: "Disable" }));
	await user.click(await screen.findByRole("button", { name: "Disable (2)" }, wait));
	await waitFor(() => expect(sent(seen, "POST", "/batch")).toHaveLength(1), wait);
	const { operations } = (await sent(seen, "POST", "/batch")[0]!.json()) as { operations: Record<string, unknown>[] };
	expect(operations.map(({ path }) => path)).toEqual(["/forward-proxy/acls/a1", "/forward-proxy/acls/a2"]);
	expect(operations[1]!.body).toMatchObject({ type: "method", value: "GET", priority: 20, enabled: false });
}, 40_000);

test("the form asks for the value by its type, and a new rule is asked last", async () => {
	const seen = answer({ ...common, "POST /forward-proxy/acls": () => ok(acls[0], { "Gateway-Change": "c1" }, 201) });
	renderApp([feature], "/forward-proxy?do=create");
	const user = userEvent.setup();
	const value = await screen.findByRole("textbox", { name: /Value/ }, wait);
	expect(value.getAttribute("placeholder")).toBe("example.com");
	await user.selectOptions(screen.getByRole("combobox", { name: /Condition/ }), "time");
	expect(screen.getByRole("textbox", { name: /Value/ }).getAttribute("placeholder")).toBe("mon-fri 08:00-18:00");
	await user.selectOptions(screen.getByRole("combobox", { name: /Condition/ }), "method");
	await user.selectOptions(screen.getByRole("combobox", { name: /Value/ }), "CONNECT");
	// Nobody says what happens but the operator.
	await user.click(screen.getByRole("button", { name: "Create" }));
	const action = screen.getByRole("combobox", { name: /Action/ });
	await waitFor(() => expect(action.getAttribute("aria-invalid")).toBe("true"), wait);
	await user.selectOptions(action, "deny");
	await user.click(screen.getByRole("button", { name: "Create" }));
	await waitFor(() => expect(sent(seen, "POST", "/acls")).toHaveLength(1), wait);
	expect(await sent(seen, "POST", "/acls")[0]!.json()).toMatchObject({
		action: "deny",
		type: "method",
		value: "CONNECT",
		only_from: [],
		priority: 1_000_000,
	});
}, 40_000);

test("what the server says about a value stands at its field", async () => {
	const fields = [{ field: "value", message: "must be a port such as 443 or a range such as 8000-8100" }];
	const seen = answer({
		...common,
		"PUT /forward-proxy/acls/a1": () => refusal(422, { code: "invalid", message: "invalid", fields }),
	});
	renderApp([feature], "/forward-proxy?do=edit&id=a1");
	const user = userEvent.setup();
	await user.selectOptions(await screen.findByRole("combobox", { name: /Condition/ }, wait), "port");
	await user.click(screen.getByRole("button", { name: "Save" }));
	expect((await screen.findAllByText(/Must be a port such as 443/, undefined, wait)).length).toBeGreaterThan(0);
	// A rule keeps its place.
	expect(await sent(seen, "PUT", "/a1")[0]!.json()).toMatchObject({ type: "port", priority: 10 });
}, 40_000);

test("an empty list says the first step", async () => {
	answer({ ...common, "GET /forward-proxy/acls": () => ok([], { "X-Total-Count": "0" }) });
	renderApp([feature], "/forward-proxy");
	expect(await screen.findByText("No access rules yet", undefined, wait)).toBeTruthy();
	expect(screen.getByRole("button", { name: "Add rule" })).toBeTruthy();
}, 30_000);
