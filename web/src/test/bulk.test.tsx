import { connection, queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent, { type UserEvent } from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { features } from "../app/features";
import { operationAt, sampled, strangers, switchable } from "./document";
import { sources } from "./files";
import { renderApp } from "./render";
import { ok } from "./server";

const params = { id: "id-1" };
const routes = features.flatMap((feature) =>
	feature.routes
		.filter((route) => !route.bare && !route.moved?.({ params, search: {} }))
		.map((route) => ({ feature, ...route })),
);
const pages = routes.map(({ feature, path }) => [path.replace("$id", params.id), feature] as const);

let batches: Promise<{ operations: { method: string; path: string; body?: object }[] }>[] = [];

beforeAll(async () => {
	setUp();
	await Promise.all([...routes.map(({ page }) => page()), import("@ui/change/BulkDialog")]);
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.state.set("online");
	batches = [];
	vi.stubGlobal(
		"WebSocket",
		class {
			close() {}
		},
	);
	vi.stubGlobal("fetch", async (input: Request) => {
		const path = new URL(input.url).pathname;
		if (path.endsWith("/auth/me")) return ok({ id: "1", email: "ann@example.com", role: "admin", limited: false });
		if (!path.endsWith("/batch")) return sampled(input);
		batches.push(input.clone().json());
		return ok({ results: [] });
	});
});

const wait = { timeout: 20_000 };
const all = { name: "Select all that match" };

/** still waits until nothing is loading any more, data or code. */
const still = () =>
	waitFor(async () => {
		const loading = () => [queryClient.isFetching(), document.querySelectorAll("main .pf-v6-c-skeleton").length];
		expect(loading()).toEqual([0, 0]);
		await new Promise((done) => setTimeout(done, 30));
		expect(loading()).toEqual([0, 0]);
	}, wait);

/** done is where the batch of a bulk action leads; none when the action asks by a dialog of its own. */
async function done(user: UserEvent, title: string): Promise<string[]> {
	const dialog = await screen.findByRole("dialog", undefined, wait);
	const confirm = within(dialog).queryByRole("button", { name: /\(\d+\)$|^(Delete|Remove) \d+ / });
	await user.click(confirm ?? within(dialog).getByRole("button", { name: "Cancel" }));
	await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull(), wait);
	if (!confirm) return [];
	expect(batches, title).toHaveLength(1);
	const { operations } = await batches.pop()!;
	expect(operations.length, title).toBeGreaterThan(0);
	return operations.map(({ method, path, body }) => {
		const operation = operationAt(method, path);
		if (!operation) return `nothing is at ${method} ${path}`;
		const unknown = strangers(operation, body ?? {});
		return unknown.length > 0 ? `nothing in ${operation} is called ${unknown.join(", ")}` : operation;
	});
}

/** actions does each bulk action of the list that is open to all of its rows, and says which requests lead nowhere. */
async function actions(user: UserEvent): Promise<string[]> {
	const wrong: string[] = [];
	for (let place = 0, count = 1; place < count; place++) {
		const bar = await waitFor(async () => {
			// A list that was loaded anew just then has forgotten the tick.
			if (!screen.queryByRole("toolbar")) await user.click(screen.getByRole("checkbox", all));
			return screen.findByRole("toolbar", { name: "Selected rows" }, { timeout: 3_000 });
		}, wait);
		// The last one clears the selection.
		const buttons = within(bar).getAllByRole("button").slice(0, -1);
		count = buttons.length;
		const title = buttons[place]!.textContent;
		await user.click(buttons[place]!);
		for (const operation of await done(user, title)) {
			led.add(`${title}: ${operation}`);
			if (operation.startsWith("nothing")) wrong.push(operation);
		}
		await still();
	}
	return wrong;
}

let lists = 0;
/** Where each action led, with its title. */
const led = new Set<string>();

test.each(pages)(
	"what is done to many rows on %s is in the API",
	async (page, feature) => {
		const user = userEvent.setup();
		renderApp([feature], page);
		await screen.findByRole("heading", { level: 1 }, wait);
		await still();
		const tabs = () => within(document.querySelector("main")!).queryAllByRole("tab");
		for (let place = 0; place < Math.max(1, tabs().length); place++) {
			if (place > 0) {
				await user.click(tabs()[place]!);
				// On a busy machine the list before was still there, and then went.
				await waitFor(() => expect(tabs()[place]?.getAttribute("aria-selected")).toBe("true"), wait);
			}
			await still();
			if (!screen.queryByRole("checkbox", all)) continue;
			lists++;
			expect(await actions(user)).toEqual([]);
		}
	},
	120_000,
);

test("no list was left out", () => {
	const withRows = sources(/\.tsx$/).filter(
		({ path, text }) => path.startsWith("features/") && /<Resource(Section|Page)|\bbulk=\{/.test(text),
	);
	expect(lists).toBeGreaterThanOrEqual(withRows.length);
});

test("many rows that have a switch can be enabled and disabled at once", () => {
	const wanted = switchable().flatMap((operation) => [`Enable: ${operation}`, `Disable: ${operation}`]);
	expect(wanted.length).toBeGreaterThan(30);
	expect(wanted.filter((one) => !led.has(one))).toEqual([]);
});
