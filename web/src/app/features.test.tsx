import { queryClient, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { Feature } from "@ui/feature";
import i18next from "i18next";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../test/render";
import { answer, ok } from "../test/server";
import { catalogs as de } from "./catalogs/de";
import { catalogs as en } from "./catalogs/en";
import { discover, features } from "./features";

// The toy folder stands where no build looks; the glob finds it as the app finds the real ones.
const found = import.meta.glob<{ feature: Feature }>("../test/features/*/index.ts", { eager: true });
const toys = discover(found);

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const identity = (role: string) => ({ id: "1", email: "ann@example.com", role, totp_enabled: false, limited: false });

beforeAll(() => {
	setUp();
	i18next.addResourceBundle("en", "toy", {
		title: "Toys",
		secret: "Hidden toys",
		broken: "A toy is broken",
		make: "Make a toy",
	});
});
beforeEach(() => queryClient.clear());

const as = (role: string) =>
	answer({ "GET /system/health": () => ok(health), "GET /auth/me": () => ok(identity(role)) });

// Bar web.9: one folder, and page, navigation entry, route and palette entry appear.
test("a feature needs nothing but its folder", async () => {
	as("admin");
	renderApp(toys, "/toys");
	expect(await screen.findByRole("heading", { level: 1, name: "Toys" })).toBeTruthy();
	expect(document.title).toBe("Toys · Gateway");
	const user = userEvent.setup();
	await user.click(screen.getByRole("button", { name: /navigation/i }));
	const nav = screen.getByRole("navigation", { name: "Main navigation" });
	expect(within(nav).getByRole("link", { name: "Toys" }).getAttribute("href")).toBe("/toys");
	expect(await screen.findByRole("button", { name: "1 problem" })).toBeTruthy();
	await user.keyboard("{Control>}k{/Control}");
	await user.type(await screen.findByRole("combobox"), "toy");
	const names = () => screen.getAllByRole("option").map((option) => option.textContent);
	await waitFor(() =>
		expect(names()).toEqual(expect.arrayContaining(["ToysPage", "Hidden toysPage", "Make a toyPage"])),
	);
});

test("the start page is the first of the navigation as long as no feature has one", async () => {
	as("viewer");
	const { history } = renderApp(toys, "/");
	await screen.findByRole("heading", { level: 1, name: "Toys" });
	expect(history.location.pathname).toBe("/toys");
});

test("a viewer is told so at a page for administrators", async () => {
	as("viewer");
	renderApp(toys, "/toys/secret");
	expect(await screen.findByText("Administrators only")).toBeTruthy();
});

test("an address that leads nowhere says so", async () => {
	as("viewer");
	renderApp(toys, "/nowhere");
	expect(await screen.findByText("Page not found")).toBeTruthy();
});

test("a folder whose feature has another name is refused", () => {
	expect(() => discover({ "../features/users/index.ts": { feature: { id: "user", routes: [] } } })).toThrow(
		'whose id is "users"',
	);
});

const first: Record<string, Record<string, Record<string, unknown>>> = { de, en };

test.each(["de", "en"])("every page has its title before its words are loaded, in %s", (language) => {
	const missing = features.flatMap(({ id, nav, menu, routes }) => {
		const words = first[language]![`../../features/${id}/messages/${language}.json`]!;
		const asked = [...[nav ?? []].flat(), ...(menu ? [menu] : []), ...routes].map(({ titleKey }) => titleKey);
		const found = (key: string) =>
			key.split(".").reduce<unknown>((at, name) => (at as Record<string, unknown> | undefined)?.[name], words);
		return asked.filter((key) => typeof found(key) !== "string").map((key) => `${id}: ${key}`);
	});
	expect(missing).toEqual([]);
	expect(features.length).toBeGreaterThan(15);
});
