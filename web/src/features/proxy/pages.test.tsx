import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import i18next from "i18next";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { ann, published } from "../../test/published";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature } from ".";

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const posts = (seen: Request[], end: string) =>
	seen.filter((request) => request.method === "POST" && request.url.endsWith(end));

test("rules are moved by the keyboard and saved as one order", async () => {
	const seen = answer({ ...published, "POST /routing-rules/order": () => ok(null) });
	renderApp([feature], "/proxy/sites/d1?tab=rules");
	const user = userEvent.setup();
	(await screen.findByRole("button", { name: "Move /b/ up" })).focus();
	await user.keyboard("{Enter}");
	const items = within(screen.getByRole("list", { name: "Routing rules" })).getAllByRole("listitem");
	expect(items.map((item) => item.querySelector("code")?.textContent)).toEqual(["/b/", "/a/"]);
	await user.click(screen.getByRole("button", { name: "Save order" }));
	await waitFor(() => expect(posts(seen, "/routing-rules/order")).toHaveLength(1));
	expect(await posts(seen, "/order")[0]!.json()).toEqual({ domain_id: "d1", rules: ["r2", "r1"] });
}, 20_000);

// shows UI-07
test("an active pool without servers is warned of, where it is used and on its own page", async () => {
	const empty = { state: "no_servers", code: "proxy.backend_empty", params: { backend: "Web" }, message: "" };
	answer({
		...published,
		"GET /backend-servers": () => ok([], { "X-Total-Count": "0" }),
		"GET /problems/states/backend": () => ok({ known: true, states: { p1: empty } }),
		"GET /problems/states/server": () => ok({ known: true, states: {} }),
	});
	renderApp([feature], "/proxy/pools/p1");
	expect(await screen.findByText("Backend Web has no enabled server.")).toBeTruthy();
	expect(await screen.findByText("This backend is enabled but has no server that could answer")).toBeTruthy();
});

test("a viewer sees the name of a pool where an administrator chooses one, and no button", async () => {
	answer({ ...published, "GET /auth/me": () => ok({ ...ann, role: "viewer" }) });
	renderApp([feature], "/proxy/sites/d1");
	const where = await screen.findByText("Redirect HTTP to HTTPS");
	expect(await within(where.closest("dl")!).findByText("Web")).toBeTruthy(); // as soon as the pools are loaded
	expect(screen.queryByRole("button", { name: /Save|Add|Delete/ })).toBeNull();
});

test("the palette calls a backend by its noun", async () => {
	answer({ ...published, "GET /domains": () => ok([]) });
	const t = i18next.getFixedT("en", "proxy");
	const found = await feature.palette!({ query: "web", admin: false, t, signal: new AbortController().signal });
	expect(found.map(({ title, hint }) => [title, hint])).toEqual([["Web", "Backend"]]);
});
