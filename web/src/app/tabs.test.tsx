import { queryClient, setUp } from "@api";
import { screen } from "@testing-library/react";
import { mostTabs } from "@ui/UrlTabs";
import { beforeAll, expect, test } from "vitest";
import { renderApp } from "../test/render";
import { answer, ok } from "../test/server";
import { features } from "./features";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const admin = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };

beforeAll(() => setUp());

const paths = features.flatMap(({ routes }) =>
	routes.filter((route) => !route.bare && !route.path.includes("$")).map((route) => route.path),
);

// Those whose address has a parameter need an object to be shown; UrlTabs refuses more by itself there.
test.each(paths)(
	"the page at %s has at most six tabs",
	async (path) => {
		queryClient.clear();
		answer({ "GET /system/health": () => ok(health), "GET /auth/me": () => ok(admin) });
		renderApp(features, path);
		await screen.findByRole("heading", { level: 1 }, { timeout: 20_000 });
		const tabs = screen.queryAllByRole("tablist").map((list) => list.children.length);
		expect(Math.max(0, ...tabs)).toBeLessThanOrEqual(mostTabs);
		if (path === "/firewall") expect(tabs).toEqual([5]);
		if (path === "/objects") expect(tabs).toEqual([5]);
	},
	60_000,
);
