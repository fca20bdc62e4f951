import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import { begin, day, iso, open, prepare } from "../../test/graphs";

prepare();

test("a reminder is no mark of its own", async () => {
	await open(`/graphs?${day}`, { reminded: true });
	expect(await screen.findAllByRole("button", { name: /: 2 events$/ })).toHaveLength(2);
	expect(document.querySelectorAll('[data-kind="fired"]')).toHaveLength(2); // one in each chart
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
	await open(`/graphs?${day}`, { role: "viewer" });
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
