import { queryClient, session, setUp } from "@api";
import { createEvent, fireEvent, screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature as alert } from "../alert";
import { feature as change } from "../change";
import { feature } from ".";

const names = ["cpu.busy", "memory.used"];
const begin = Math.floor(Date.now() / 86_400_000) * 86_400 - 86_400;
const day = `zoom=${begin}-${begin + 86_400}`;
const iso = (at: number) => new Date(at * 1_000).toISOString();

const record = {
	id: "c1",
	actor: "ann@example.com",
	action: "ntp.settings.update",
	subject: "settings",
	created_at: iso(begin + 43_200),
	apply: "live",
};
const event = {
	id: "e1",
	first_id: "e1",
	state: "firing",
	kind: "ntp.unsync",
	severity: "warning",
	subject: "gw1",
	subject_kind: "service",
	subject_id: "ntp",
	code: "test.of_the_chart",
	params: {},
	message: "The clock is not synchronised",
	remedy: "",
	link: "/ntp",
	fired_at: iso(begin + 43_260),
	acknowledged_at: null,
	acknowledged_by: null,
	over: false,
	sent_to: [],
};

const reminder = { ...event, id: "e2", fired_at: iso(begin + 80_000) };
let reminded = false;

/** values are a hundred steps of whatever time is asked for. */
function values({ url }: Request) {
	const query = new URL(url).searchParams;
	const since = Date.parse(query.get("since")!) / 1_000;
	const step = (Date.parse(query.get("until")!) / 1_000 - since) / 100;
	const line = Array.from({ length: 101 }, (_, n) => n);
	const series = query.getAll("series").flatMap((one) => one.split(","));
	return ok({
		since: iso(since),
		step_seconds: step,
		series: series.map((name) => ({ name, unit: "percent", min: line, avg: line, max: line })),
	});
}

beforeAll(async () => {
	setUp();
	await Promise.all([import("./GraphsPage"), import("@ui/Plot")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

async function open(at: string, role = "admin") {
	const seen = answer({
		"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role, totp_enabled: false, limited: false }),
		"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
		"GET /graphs/series": () => ok(names.map((name) => ({ name, unit: "percent", last_at: iso(begin) }))),
		"GET /graphs": values,
		"GET /changes": () => ok([record], { "X-Total-Count": "1" }),
		"GET /alerts/events": () => ok(reminded ? [reminder, event] : [event]),
	});
	const app = renderApp([feature, change, alert], at);
	await waitFor(() => expect(document.querySelectorAll(".u-over")).toHaveLength(2), { timeout: 15_000 });
	await waitFor(() => expect(legends().every((text) => text?.includes("100%"))).toBe(true));
	const asked = () =>
		seen.filter(({ url }) => new URL(url).pathname.endsWith("/graphs")).map(({ url }) => new URL(url).searchParams);
	return { ...app, asked, zoom: () => (app.router.state.location.search as { zoom?: string }).zoom };
}

const legends = () => [...document.querySelectorAll(".u-legend")].map((legend) => legend.textContent);
const overs = () => [...document.querySelectorAll<HTMLElement>(".u-over")];

/** move is a mouse that moves; uPlot takes no drag from one that stands still, as all do here. */
function move(over: HTMLElement, clientX: number) {
	const event = createEvent.mouseMove(over, { clientX });
	Object.defineProperty(event, "movementX", { value: 1 });
	fireEvent(over, event);
}

function drag(over: HTMLElement, from: number, to: number) {
	fireEvent.mouseDown(over, { clientX: from, button: 0 });
	move(over, (from + to) / 2);
	move(over, to);
	fireEvent.mouseUp(document, { clientX: to, button: 0 });
	fireEvent.click(over, { clientX: to });
}

test("a drag zooms every chart to that time in one step, which the way back and the button undo", async () => {
	const { zoom, asked, history, router } = await open(`/graphs?${day}`);
	drag(overs()[0]!, 100, 400);
	await waitFor(() => expect(zoom()).not.toBe(day.slice(5)));
	const [since, until] = zoom()!.split("-").map(Number) as [number, number];
	expect(since).toBeGreaterThan(begin);
	expect(until).toBeLessThan(begin + 86_400);
	// The finer samples of that time are asked for, of both charts.
	await waitFor(() => {
		const finer = asked().filter((query) => query.get("since") === iso(since) && query.get("until") === iso(until));
		expect(finer.map((query) => query.get("series")).sort()).toEqual(names);
	});
	expect(screen.getByRole("slider", { name: "Processor: moment" }).getAttribute("aria-valuetext")).not.toMatch(/^$/);
	history.back();
	await waitFor(() => expect(zoom()).toBe(day.slice(5)));
	await userEvent.setup().click(screen.getByRole("button", { name: "Reset zoom" }));
	await waitFor(() => expect(zoom()).toBeUndefined());
	expect(router.state.location.pathname).toBe("/graphs");
}, 40_000);

test("who cannot drag zooms by buttons and keys, around the moment that is held", async () => {
	const { zoom } = await open(`/graphs?${day}`);
	const person = userEvent.setup();
	await person.click(screen.getByRole("button", { name: "Zoom in" }));
	await waitFor(() => expect(zoom()).toBe(`${begin + 21_600}-${begin + 64_800}`));
	await person.click(screen.getByRole("button", { name: "Zoom out" }));
	await waitFor(() => expect(zoom()).toBe(day.slice(5)));
	const slider = await screen.findByRole("slider", { name: "Processor: moment" });
	await waitFor(() => expect(slider.getAttribute("aria-valuemin")).toBe(String(begin)));
	slider.focus();
	await person.keyboard("{Home}");
	await waitFor(() => expect(slider.getAttribute("aria-valuenow")).toBe(String(begin)));
	await person.keyboard("+");
	await waitFor(() => expect(zoom()).toBe(`${begin - 21_600}-${begin + 21_600}`));
}, 40_000);

test("page keys move what is shown, and end where it is live; the hint says so", async () => {
	const { zoom, history } = await open(`/graphs?${day}`);
	const person = userEvent.setup();
	expect(screen.getByText(/Page up and Page down.*with Shift they go from mark to mark/)).toBeTruthy();
	screen.getByRole("slider", { name: "Processor: moment" }).focus();
	await person.keyboard("{PageUp}");
	await waitFor(() => expect(zoom()).toBe(`${begin - 86_400}-${begin}`));
	(await screen.findByRole("slider", { name: "Processor: moment" })).focus();
	await person.keyboard("{PageDown}");
	await waitFor(() => expect(zoom()).toBe(day.slice(5)));
	(await screen.findByRole("slider", { name: "Processor: moment" })).focus();
	await person.keyboard("{PageDown}");
	await waitFor(() => expect(zoom()).toBeUndefined());
	// It moves on, and there is nothing after it to go to.
	const steps = history.length;
	(await screen.findByRole("slider", { name: "Processor: moment" })).focus();
	await person.keyboard("{PageDown}{PageDown}");
	expect(zoom()).toBeUndefined();
	expect(history.length).toBe(steps);
	(await screen.findByRole("slider", { name: "Processor: moment" })).focus();
	await person.keyboard("{PageUp}");
	await waitFor(() => expect(zoom()).toBeTruthy());
	expect(history.length).toBe(steps + 1);
}, 40_000);

test("a reminder is no mark of its own", async () => {
	reminded = true;
	await open(`/graphs?${day}`);
	expect(await screen.findAllByRole("button", { name: /: 2 events$/ })).toHaveLength(2);
	expect(document.querySelectorAll('[data-kind="fired"]')).toHaveLength(2); // one in each chart
	reminded = false;
}, 40_000);

test("one line stands in all charts, where one points and where one clicked", async () => {
	await open(`/graphs?${day}`);
	fireEvent.mouseMove(overs()[0]!, { clientX: 300 });
	await waitFor(() => expect(legends()[1]).not.toContain("100%"));
	expect(legends()[0]?.match(/\d+%/)?.[0]).toBe(legends()[1]?.match(/\d+%/)?.[0]);
	// A tap is a click.
	fireEvent.mouseDown(overs()[1]!, { clientX: 300, button: 0 });
	fireEvent.mouseUp(document, { clientX: 300, button: 0 });
	fireEvent.click(overs()[1]!, { clientX: 300 });
	const [one, two] = screen.getAllByRole("slider");
	await waitFor(() => expect(one?.getAttribute("aria-valuenow")).toBe(two?.getAttribute("aria-valuenow")));
	expect(Number(one?.getAttribute("aria-valuenow"))).toBeLessThan(begin + 86_400);
}, 40_000);

test("what happened is marked, several things at once as one, and each opens its page", async () => {
	await open(`/graphs?${day}`);
	const person = userEvent.setup();
	const [mark] = await screen.findAllByRole("button", { name: /: 2 events$/ });
	expect(mark?.textContent).toBe("2");
	expect(mark?.dataset.kind).toBe("fired");
	await person.click(mark!);
	const dialog = await screen.findByRole("dialog", { name: /^What happened/ });
	const links = within(dialog).getAllByRole("link");
	expect(links[0]?.getAttribute("href")).toBe("/changes/c1");
	const { pathname, searchParams } = new URL(links[1]!.getAttribute("href")!, window.location.href);
	expect(pathname).toBe("/alerts");
	expect(searchParams.get("since")).toContain(iso(begin + 43_260));
	expect(links[1]?.textContent).toBe("The clock is not synchronised");
	await person.click(links[1]!);
	expect(await screen.findByRole("button", { name: "Show the latest" }, { timeout: 15_000 })).toBeTruthy();
}, 40_000);

test("keys go from mark to mark, and open it; a viewer is led to the day of a change", async () => {
	await open(`/graphs?${day}`, "viewer");
	const person = userEvent.setup();
	await screen.findAllByRole("button", { name: /: 2 events$/ });
	const slider = screen.getByRole("slider", { name: "Processor: moment" });
	slider.focus();
	await person.keyboard("{Shift>}{PageUp}{/Shift}");
	await waitFor(() => expect(slider.getAttribute("aria-valuetext")).toContain("The clock is not synchronised"));
	await person.keyboard("{Enter}");
	const dialog = await screen.findByRole("dialog", { name: /^What happened/ });
	expect(within(dialog).getAllByRole("link")[0]?.getAttribute("href")).toMatch(/^\/changes\?from=/);
	await person.keyboard("{Escape}");
	await waitFor(() => expect(screen.queryByRole("dialog")).toBeNull());
}, 40_000);
