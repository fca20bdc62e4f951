import { queryClient, session, setUp } from "@api";
import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature as dashboard } from "../dashboard";
import { feature } from ".";

const last_at = "2026-02-03T12:00:00Z";
const units: Record<string, string> = {
	"cpu.busy": "percent",
	"memory.used": "percent",
	"interface.eth0.received": "bytes_per_second",
	"interface.eth1.received": "bytes_per_second",
};
const lines = (values: (number | null)[]) => ({ min: values, avg: values, max: values });

beforeAll(async () => {
	setUp();
	await Promise.all([import("../dashboard/DashboardPage"), import("./dashboard"), import("@ui/Plot")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const values: Record<string, (number | null)[]> = {
	"cpu.busy": [10, 20, null],
	"interface.eth1.received": [1_250, 1_250, 1_250],
};

test("the dashboard shows a day of the node in one answer, and leads to the graphs", async () => {
	const seen = answer({
		"GET /auth/me": () => ok({ id: "1", email: "a@example.com", role: "viewer", totp_enabled: false, limited: false }),
		"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
		"GET /graphs/series": () => ok(Object.entries(units).map(([name, unit]) => ({ name, unit, last_at }))),
		"GET /graphs": ({ url }) => {
			const asked = new URL(url).searchParams.getAll("series").flatMap((one) => one.split(","));
			const series = asked.map((name) => ({ name, unit: units[name] ?? "count", ...lines(values[name] ?? []) }));
			return ok({ since: new Date(Date.now() - 1_500_000).toISOString(), step_seconds: 600, series });
		},
	});
	const { router } = renderApp([dashboard, feature], "/");
	const link = await screen.findByRole("link", { name: "Processor" }, { timeout: 15_000 });
	expect(link.getAttribute("href")).toBe("/graphs?range=day");
	expect(link.parentElement?.textContent).toBe("Processor 20%");
	// The link with the most traffic, and no other.
	expect(screen.getByRole("link", { name: "Traffic on eth1" })).toBeTruthy();
	expect(screen.queryByRole("link", { name: "Traffic on eth0" })).toBeNull();
	expect(seen.filter(({ url }) => new URL(url).pathname.endsWith("/graphs"))).toHaveLength(1);
	const person = userEvent.setup();
	await person.click(screen.getByRole("button", { name: "1 hour" }));
	expect((await screen.findByRole("link", { name: "Memory in use" })).getAttribute("href")).toBe("/graphs?range=hour");
	// There is nothing after now to be led to.
	(await screen.findByRole("slider", { name: "Processor: moment" }, { timeout: 15_000 })).focus();
	await person.keyboard("{PageDown}");
	expect(router.state.location.pathname).toBe("/");
	await person.keyboard("{PageUp}");
	await waitFor(() => expect(router.state.location.pathname).toBe("/graphs"), { timeout: 15_000 });
}, 40_000);
