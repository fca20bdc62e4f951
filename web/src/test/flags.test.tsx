import { connection, queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import type { Feature } from "@ui/feature";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { feature as account } from "../features/account";
import { feature as radius } from "../features/radius";
import { feature as system } from "../features/system";
import { feature as users } from "../features/users";
import { sources } from "./files";
import { renderApp } from "./render";
import { answer, listed } from "./server";
import { well } from "./well";

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.state.set("online");
});

const moment = "2026-01-01T00:00:00Z";
const me = { id: "1", email: "ann@example.com", role: "viewer", totp_enabled: true, limited: false };
const on: Record<string, unknown> = {
	...well,
	"GET /auth/me": me,
	"GET /users": [{ ...me, revision: 1, created_at: moment, updated_at: moment, oidc_subject: "", active: true }],
	"GET /auth/sessions": [
		{ id: "s", current: true, user_agent: "curl/8", remote_ip: "192.0.2.1", last_seen: moment, created_at: moment },
	],
	"GET /system/maintenance": { enabled: true },
	"GET /system/ipv6": { enabled: true },
	"GET /system/retention": { backups: 1, audit_days: 1 },
};

/** Settings that are on, by the word that says so; each page has nothing else in main that could be green by them. */
const pages: [page: string, word: string, feature: Feature][] = [
	["/users", "Active", users],
	["/account?tab=second-factor", "On", account],
	["/account?tab=sessions", "This session", account],
	["/system?tab=settings", "On", system],
	["/radius?tab=clients", "Required", radius],
];

test.each(pages)(
	"%s: a setting that is on is not green",
	async (page, word, feature) => {
		answer(listed(on));
		renderApp([feature], page);
		const shown = await screen.findAllByText(word, undefined, { timeout: 20_000 });
		expect(shown.filter((one) => one.closest('[data-status="success"]'))).toEqual([]);
	},
	60_000,
);

test("no state is green by a stored flag alone", () => {
	const green = /\b(active|enabled|\w+_enabled|signed)\s*\?\s*"success"/;
	const files = sources(/\.tsx?$/).filter(({ path }) => !path.startsWith("test/"));
	expect(files.filter(({ text }) => green.test(text)).map(({ path }) => path)).toEqual([]);
});
