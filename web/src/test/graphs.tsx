import { queryClient, session, setUp } from "@api";
import { waitFor } from "@testing-library/react";
import { beforeAll, beforeEach, expect } from "vitest";
import { feature as alert } from "../features/alert";
import { feature as change } from "../features/change";
import { feature } from "../features/graphs";
import { renderApp } from "./render";
import { answer, ok } from "./server";

export const names = ["cpu.busy", "memory.used"];
export const begin = Math.floor(Date.now() / 86_400_000) * 86_400 - 86_400;
export const day = `zoom=${begin}-${begin + 86_400}`;
export const iso = (at: number) => new Date(at * 1_000).toISOString();

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

/** prepare has each test of a file begin with nobody asked and nothing known. */
export function prepare() {
	beforeAll(async () => {
		setUp();
		await Promise.all([import("../features/graphs/GraphsPage"), import("@ui/Plot")]);
	}, 60_000);
	beforeEach(() => {
		queryClient.clear();
		session.over.set(false);
	});
}

/** open shows the graphs at an address, once both charts are drawn. */
export async function open(at: string, { role = "admin", reminded = false } = {}) {
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

export const legends = () => [...document.querySelectorAll(".u-legend")].map((legend) => legend.textContent);
export const overs = () => [...document.querySelectorAll<HTMLElement>(".u-over")];
