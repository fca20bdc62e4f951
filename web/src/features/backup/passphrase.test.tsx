import { queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { all, backup } from "./fixture";

beforeAll(async () => {
	setUp();
	await import("./BackupsPage");
}, 120_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test("a missing passphrase leads to the tab where it is set", async () => {
	const missing = {
		code: "backup.no_passphrase",
		severity: "warning",
		subject: { kind: "passphrase", id: "passphrase", name: "" },
		params: {},
		message: "no passphrase is set",
		remedy: "",
		since: "2026-01-01T00:00:00Z",
		link: "/backups?tab=settings",
		affects: [],
		affects_total: 0,
	};
	answer({
		...listed(all("admin", [backup()])),
		"GET /problems": () => ok({ version: "1", problems: [missing], unknown: [], counts: { warning: 1 } }),
	});
	renderApp([feature], "/backups");
	const link = await screen.findByRole("link", { name: "Set passphrase" }, { timeout: 30_000 });
	expect(link.getAttribute("href")).toBe("/backups?tab=settings");
}, 60_000);
