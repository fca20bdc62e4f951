import { session, setUp } from "@api";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { Feature } from "@ui/feature";
import { beforeAll, expect, test } from "vitest";
import { renderApp } from "../test/render";
import { UrlTabs } from "./UrlTabs";

const tabs = [
	{ id: "one", title: "First", content: <p>first content</p> },
	{ id: "two", title: "Second", content: <p>second content</p> },
	{ id: "three", title: "Third", content: <p>third content</p> },
];
const page = async () => ({ default: () => <UrlTabs label="Numbers" tabs={tabs} /> });
const feature: Feature = { id: "toy", routes: [{ path: "/numbers", titleKey: "title", page, bare: true }] };

beforeAll(() => {
	setUp();
	session.over.set(false);
});

test("the URL says which tab is open, and a tab names its content", async () => {
	renderApp([feature], "/numbers?tab=two");
	expect((await screen.findByRole("tabpanel", { name: "Second" })).textContent).toBe("second content");
	const open = screen.getByRole("tab", { selected: true });
	expect(document.getElementById(open.getAttribute("aria-controls") ?? "")).toBe(screen.getByRole("tabpanel"));
});

test("arrows go from tab to tab, and round", async () => {
	const { history } = renderApp([feature], "/numbers");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("tab", { name: "First" }));
	await user.keyboard("{ArrowLeft}");
	await waitFor(() => expect(history.location.search).toBe("?tab=three"));
	expect(document.activeElement).toBe(screen.getByRole("tab", { name: "Third" }));
	await user.keyboard("{ArrowRight}");
	await waitFor(() => expect(history.location.search).toBe(""));
	expect(screen.getByText("first content")).toBeTruthy();
});
