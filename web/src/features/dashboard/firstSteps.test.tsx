import { queryClient, setUp } from "@api";
import { cleanup, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { Feature } from "@ui/feature";
import i18next from "i18next";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { FirstSteps } from "./FirstSteps";
import type { Step } from "./useParts";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const identity = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };

beforeAll(() => {
	setUp();
	i18next.addResourceBundle("en", "toy", { title: "Toys", a: "Wind it up", aText: "It stands still.", b: "Paint it" });
});
beforeEach(() => {
	localStorage.clear();
	queryClient.clear();
	answer({ "GET /system/health": () => ok(health), "GET /auth/me": () => ok(identity) });
});

const step = (id: string, done: () => Promise<boolean>): Step => ({
	feature: "toy",
	id,
	order: 1,
	titleKey: id,
	textKey: `${id}Text`,
	to: "/toys",
	done,
});

let given: Step[] = [];

const Page = () => (
	<>
		<h1>Here</h1>
		<FirstSteps steps={given} />
	</>
);

function show(steps: Step[]) {
	given = steps;
	const page = async () => ({ default: Page });
	const feature: Feature = { id: "toy", routes: [{ path: "/toys", titleKey: "title", page }] };
	renderApp([feature], "/toys");
	return screen.findByRole("heading", { name: "Here" });
}

test("a step that is done is ticked, and the others say where to do them", async () => {
	await show([step("a", async () => false), step("b", async () => true)]);
	expect(await screen.findByText("1 of 2 done")).toBeTruthy();
	expect(screen.getByRole("link", { name: "Wind it up" }).getAttribute("href")).toBe("/toys");
	expect(screen.queryByRole("link", { name: "Paint it" })).toBeNull();
	expect(screen.getByRole("img", { name: "Done" })).toBeTruthy();
});

test("a step that was done meanwhile is ticked for whoever comes back", async () => {
	let done = false;
	const steps = [step("a", async () => done), step("b", async () => false)];
	await show(steps);
	expect(await screen.findByText("0 of 2 done")).toBeTruthy();
	cleanup();
	done = true;
	await show(steps);
	expect(await screen.findByText("1 of 2 done")).toBeTruthy();
});

test("the list goes when it is not wanted, and stays away", async () => {
	await show([step("a", async () => false)]);
	await userEvent.click(await screen.findByRole("button", { name: "Hide this list" }));
	expect(screen.queryByText("First steps")).toBeNull();
	expect(localStorage.getItem("gateway.firstSteps.hidden")).not.toBeNull();
});

test.each([
	["all is done", [step("a", async () => true)]],
	["a step does not answer", [step("a", async () => false), step("b", () => Promise.reject(new Error("away")))]],
])("nothing is shown when %s", async (_, steps) => {
	await show(steps);
	await waitFor(() => expect(queryClient.isFetching({ queryKey: ["dashboard"] })).toBe(0));
	expect(screen.queryByText("First steps")).toBeNull();
});
