import { queryClient, setUp } from "@api";
import { screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature as dns } from "../dns";
import { feature } from ".";

const series = (name: string) => ({ name, unit: "per_second", last_at: "2026-02-03T12:00:00Z" });
const line = (name: string) => ({ name, unit: "per_second", min: [1, null], avg: [1, null], max: [1, null] });

beforeAll(async () => {
	setUp();
	await Promise.all([import("../dns/DnsPage"), import("./HistoryCharts")]);
}, 60_000);
beforeEach(() => queryClient.clear());

const open = (...names: string[]) => {
	answer({
		"GET /auth/me": () =>
			ok({ id: "1", email: "ann@example.com", role: "viewer", totp_enabled: false, limited: false }),
		"GET /system/health": () => ok({ version: "1.0.0", database: true, setup_complete: true }),
		"GET /graphs/series": () => ok(names.map(series)),
		"GET /graphs": () =>
			ok({ since: "2026-02-03T12:00:00Z", step_seconds: 10, series: ["dns.queries", "dns.hits"].map(line) }),
	});
	renderApp([dns, feature], "/dns?tab=status");
};

test("a page of an area has its charts, and no others", async () => {
	open("dns.queries", "dns.hits", "cpu.busy");
	expect(await screen.findByRole("heading", { name: "DNS queries" }, { timeout: 15_000 })).toBeTruthy();
	expect(await screen.findByRole("figure", { name: /DNS queries: Queries –, From the cache –/ })).toBeTruthy();
	expect(screen.queryByRole("heading", { name: "Processor" })).toBeNull();
	expect(screen.getByRole("button", { name: "7 days" })).toBeTruthy();
}, 40_000);

test("an area of which nothing was measured has none", async () => {
	open("cpu.busy");
	await screen.findByRole("tab", { name: "Status" }, { timeout: 15_000 });
	expect(screen.queryByRole("button", { name: "7 days" })).toBeNull();
}, 40_000);
