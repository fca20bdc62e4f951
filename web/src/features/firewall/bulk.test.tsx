import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok, refusal } from "../../test/server";
import { feature } from ".";
import { answers, rules } from "./fixture";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./RulesTab"), import("@ui/change/BulkDialog"), import("@ui/ordered/MoveDialog")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };
const sent = (seen: Request[], end: string) => seen.filter(({ method, url }) => method === "POST" && url.endsWith(end));

/** tickAll opens the rules and ticks the first and, with Shift, the last. */
async function tickAll() {
	renderApp([feature], "/firewall");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select Web" }, wait));
	await user.keyboard("{Shift>}");
	await user.click(screen.getByRole("checkbox", { name: "Select Old" }));
	await user.keyboard("{/Shift}");
	expect(await screen.findByText("3 selected")).toBeTruthy();
	return user;
}

test("rules that are ticked are disabled by one request, at their places", async () => {
	const seen = answer({ ...common, "POST /batch": () => ok({ results: [] }) });
	const user = await tickAll();
	await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Disable" }));
	const dialog = await screen.findByRole("dialog", { name: "Disable" }, wait);
	const on = rules.filter((rule) => rule.enabled);
	await user.click(within(dialog).getByRole("button", { name: `Disable (${on.length})` }));
	await waitFor(() => expect(sent(seen, "/batch")).toHaveLength(1), wait);
	const { operations } = (await sent(seen, "/batch")[0]!.json()) as { operations: Record<string, unknown>[] };
	expect(operations.map(({ method, path }) => `${method} ${path}`)).toEqual(
		on.map(({ id }) => `PUT /firewall/rules/${id}`),
	);
	const { name, priority } = on[0]!;
	expect(operations[0]!.body).toMatchObject({ name, priority, enabled: false });
	await waitFor(() => expect(screen.queryByRole("toolbar")).toBeNull(), wait);
}, 40_000);

test("a refusal names the rule, and what is left out is named as well", async () => {
	const fields = [{ field: "operations[1]", message: "somebody changed it" }];
	answer({
		...common,
		"POST /batch": () => refusal(412, { code: "precondition_failed", message: "operation 2", fields }),
	});
	const user = await tickAll();
	await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Delete rule" }));
	await user.click(await screen.findByRole("button", { name: "Delete 3 rules" }, wait));
	expect(await screen.findByText(/Mail: Somebody changed it. Nothing was deleted./, undefined, wait)).toBeTruthy();
}, 40_000);

test("rules that are ticked go to the bottom, in their order", async () => {
	const seen = answer({ ...common, "POST /firewall/rules/order": () => ok(null) });
	renderApp([feature], "/firewall");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select Web" }, wait));
	await user.click(screen.getByRole("button", { name: "Move" }));
	await user.click(await screen.findByRole("radio", { name: "To the bottom" }, wait));
	await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Move" }));
	await waitFor(() => expect(sent(seen, "/order")).toHaveLength(1), wait);
	expect(await sent(seen, "/order")[0]!.json()).toEqual({ rules: ["r2", "r3", "r1"] });
}, 40_000);

test("all that match are ticked by the box above them", async () => {
	answer(common);
	renderApp([feature], "/firewall");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("checkbox", { name: "Select all that match" }, wait));
	expect(await screen.findByText("3 selected", undefined, wait)).toBeTruthy();
	await user.click(screen.getByRole("checkbox", { name: "Select all that match" }));
	await waitFor(() => expect(screen.queryByText("3 selected")).toBeNull());
}, 40_000);

test("what is done to rows that are ticked is judged by what they are now", async () => {
	let now = rules;
	answer({
		...common,
		"GET /firewall/rules": () => ok(now, { "X-Total-Count": String(now.length) }),
	});
	const user = await tickAll();
	// Somebody else disables all of them meanwhile.
	now = rules.map((rule) => ({ ...rule, enabled: false, revision: rule.revision + 1 }));
	await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Disable" }));
	expect(await screen.findByText("None of the selected objects needs this any more", undefined, wait)).toBeTruthy();
	expect(screen.queryByRole("dialog")).toBeNull();
	await user.click(within(screen.getByRole("toolbar")).getByRole("button", { name: "Enable" }));
	expect(await screen.findByRole("button", { name: `Enable (${rules.length})` }, wait)).toBeTruthy();
}, 40_000);
