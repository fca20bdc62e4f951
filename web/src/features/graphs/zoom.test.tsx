import { createEvent, fireEvent, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { begin, day, iso, legends, names, open, overs, prepare } from "../../test/graphs";

prepare();

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
