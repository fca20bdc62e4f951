import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const meta = { revision: 3, created_at: "2026-01-01T00:00:00Z", updated_at: "2026-01-01T00:00:00Z" };
const pool = { ...meta, id: "p1", name: "Web", scheme: "http", lb_algorithm: "roundrobin", active: true, servers: [] };
const site = { ...meta, id: "d1", name: "www.example.com", backend_id: "p1", active: true, allow_from: [], notes: "" };
const rule = (id: string, path_prefix: string, priority: number) => ({
	...meta,
	id,
	domain_id: "d1",
	path_prefix,
	backend_id: "p1",
	priority,
	active: true,
});
const link = { ifname: "eth0", flags: ["UP"], addr_info: [{ local: "192.0.2.1", scope: "global" }] };

const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok(ann),
	"GET /system/components": () => ok([]),
	"GET /system/interfaces": () => ok([link]),
	"GET /system/acme": () => ok({ terms_agreed: false }),
	"GET /certificates": () => ok([]),
	"GET /proxy/stats": () => ok({ backends: [], frontends: [], error: null }),
	"GET /backends": () => ok([pool], { "X-Total-Count": "1" }),
	"GET /backends/p1": () => ok(pool),
	"GET /domains/d1": () => ok(site),
	"GET /routing-rules": () => ok([rule("r1", "/a/", 10), rule("r2", "/b/", 20)], { "X-Total-Count": "2" }),
};

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const posts = (seen: Request[], end: string) =>
	seen.filter((request) => request.method === "POST" && request.url.endsWith(end));

/** fillIn goes through the wizard to its summary. */
async function fillIn(user: ReturnType<typeof userEvent.setup>) {
	const next = () => user.click(screen.getByRole("button", { name: "Next" }));
	await user.type(await screen.findByRole("textbox", { name: /Name/ }), "https://Shop.example.com/cart");
	expect(screen.getByText("192.0.2.1")).toBeTruthy();
	await next();
	await user.type(await screen.findByRole("textbox", { name: /Address/ }), "192.0.2.40");
	await next();
	await next();
	expect(await screen.findByText("Agree to the terms, or choose another certificate.")).toBeTruthy();
	await user.click(screen.getByRole("radio", { name: /Self-signed/ }));
	await next();
	await screen.findByText("http://192.0.2.40:80");
}

test("the wizard makes one change of all its answers, and says what came of it", async () => {
	const live = { "Gateway-Change": "c1", "Gateway-Apply": "live" };
	const seen = answer({ ...common, "POST /batch": () => ok({ results: [] }, live) });
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	await fillIn(user);
	await user.click(screen.getByRole("button", { name: "Publish" }));
	expect(await screen.findByRole("heading", { name: /shop\.example\.com is published/ })).toBeTruthy();
	const sent = posts(seen, "/batch");
	expect(sent).toHaveLength(1);
	const { operations } = (await sent[0]!.json()) as { operations: { path: string; id: string; body: object }[] };
	expect(operations.map((one) => one.path)).toEqual(["/backends", "/backend-servers", "/domains", "/certificates"]);
	expect(operations[2]?.body).toEqual({ name: "shop.example.com", backend_id: operations[0]?.id });
}, 20_000);

test("an authority whose settings cannot be loaded is asked for once more, and another one is named with its terms", async () => {
	let stored = () => refusal(500, { code: "internal" });
	const seen = answer({
		...common,
		"GET /system/acme": () => stored(),
		"PUT /system/acme": () => ok({}),
		"POST /batch": () => ok({ results: [] }),
	});
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	const next = () => user.click(screen.getByRole("button", { name: "Next" }));
	const enter = async (name: string, text: string) => {
		await user.clear(await screen.findByRole("textbox", { name: new RegExp(`^${name}`) }));
		await user.paste(text);
	};
	await enter("Name", "shop.example.com");
	await next();
	await enter("Address", "192.0.2.40");
	await next();
	await screen.findByText(/settings could not be loaded/, undefined, { timeout: 5_000 });
	stored = () => ok({ email: "a@b.c", directory_url: "", terms_agreed: false });
	await user.click(screen.getByRole("button", { name: "Try again" }));
	await waitFor(() => expect(screen.queryByText(/settings could not be loaded/)).toBeNull());
	await user.click(screen.getByRole("button", { name: "Use another certificate authority" }));
	await enter("ACME directory URL", "ca.example.com");
	await user.click(screen.getByRole("checkbox", { name: /I agree/ }));
	await next();
	await screen.findByText("Enter a URL that starts with https://.");
	await enter("ACME directory URL", "https://ca.example.com/dir");
	await next();
	await screen.findByText("ca.example.com (ACME), renewed automatically");
	await user.click(screen.getByRole("button", { name: "Publish" }));
	await screen.findByRole("heading", { name: /shop\.example\.com is published/ });
	const put = seen.find((request) => request.method === "PUT");
	expect(await put?.json()).toEqual({
		email: "a@b.c",
		directory_url: "https://ca.example.com/dir",
		terms_agreed: true,
	});
});

test("what the server refuses stands at the step that asked for it, and nothing typed is lost", async () => {
	const fields = [{ field: "operations[1].body.address", message: "must be a single host address" }];
	answer({ ...common, "POST /batch": () => refusal(400, { code: "invalid", fields }) });
	renderApp([feature], "/proxy/publish");
	const user = userEvent.setup();
	await fillIn(user);
	await user.click(screen.getByRole("button", { name: "Publish" }));
	expect(await screen.findByText("Must be a single host address.")).toBeTruthy();
	expect((screen.getByRole("textbox", { name: /Address/ }) as HTMLInputElement).value).toBe("192.0.2.40");
}, 20_000);

// shows UI-08*
test("rules are moved by the keyboard and saved as one order", async () => {
	const seen = answer({ ...common, "POST /routing-rules/order": () => ok(null) });
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
		...common,
		"GET /backend-servers": () => ok([], { "X-Total-Count": "0" }),
		"GET /problems/states/backend": () => ok({ known: true, states: { p1: empty } }),
		"GET /problems/states/server": () => ok({ known: true, states: {} }),
	});
	renderApp([feature], "/proxy/pools/p1");
	expect(await screen.findByText("Backend Web has no enabled server.")).toBeTruthy();
	expect(await screen.findByText("This backend is enabled but has no server that could answer")).toBeTruthy();
});

test("a viewer sees the name of a pool where an administrator chooses one, and no button", async () => {
	answer({ ...common, "GET /auth/me": () => ok({ ...ann, role: "viewer" }) });
	renderApp([feature], "/proxy/sites/d1");
	const where = await screen.findByText("Redirect HTTP to HTTPS");
	expect(within(where.closest("dl")!).getByText("Web")).toBeTruthy();
	expect(screen.queryByRole("button", { name: /Save|Add|Delete/ })).toBeNull();
});
