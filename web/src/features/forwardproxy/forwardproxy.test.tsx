import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, listed, ok } from "../../test/server";
import { feature } from ".";
import { ann, answers, settings } from "./fixture";
import { palette } from "./palette";

const common = listed(answers);

beforeAll(async () => {
	setUp();
	// Loading them is not what is looked at.
	await Promise.all([import("./ForwardProxyPage"), import("./SettingsTab"), import("./TestDialog")]);
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const wait = { timeout: 15_000 };
const sent = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

test("the page says where the proxy listens, in which zones it is open and who may use it", async () => {
	answer(common);
	renderApp([feature], "/forward-proxy");
	const card = await screen.findByRole("region", { name: "Forward proxy" }, wait);
	expect(await within(card).findByText("192.0.2.1:3128, [2001:db8::1]:3128")).toBeTruthy();
	expect(within(card).getByText("lan")).toBeTruthy();
	expect(within(card).getByText("192.0.2.0/24")).toBeTruthy();
	expect(await within(card).findByText("Running")).toBeTruthy();
	expect(await screen.findByText(/Requests that no rule matches are denied/)).toBeTruthy();
}, 30_000);

test("a proxy that is off is not shown as open", async () => {
	answer({
		...common,
		"GET /forward-proxy/settings": () => ok({ ...settings, enabled: false }),
		"GET /problems/states/forward-proxy": () =>
			ok({ known: true, states: { "forward-proxy": { state: "off", code: "", params: {}, message: "" } } }),
	});
	renderApp([feature], "/forward-proxy");
	const card = await screen.findByRole("region", { name: "Forward proxy" }, wait);
	expect(await within(card).findByText("Switched off")).toBeTruthy();
	expect(within(card).queryByText("lan")).toBeNull();
}, 30_000);

test("a test tells what decides, with the rule, and what the proxy sees of the request", async () => {
	const verdict = { allowed: false, why: "rule", acl_id: "a1", method: "CONNECT", url: "www.example.com:443" };
	const seen = answer({ ...common, "POST /forward-proxy/explain": () => ok({ ...verdict, enabled: false }) });
	renderApp([feature], "/forward-proxy?test=yes");
	const user = userEvent.setup();
	const dialog = await screen.findByRole("dialog", { name: "Test a request" }, wait);
	await user.type(await within(dialog).findByRole("textbox", { name: /URL/ }), "https://www.example.com/");
	await user.type(within(dialog).getByRole("textbox", { name: /Client address/ }), "192.0.2.70");
	await user.click(within(dialog).getByRole("button", { name: "Test" }));
	expect(await within(dialog).findByText("The request is denied", undefined, wait)).toBeTruthy();
	const link = await within(dialog).findByRole("link", { name: "Domain: No downloads" });
	expect(link.getAttribute("href")).toBe("/forward-proxy?do=edit&id=a1");
	expect(within(dialog).getByText("The proxy sees: CONNECT www.example.com:443")).toBeTruthy();
	expect(within(dialog).getByText(/switched off/)).toBeTruthy();
	const [asked] = sent(seen, "POST", "/explain");
	expect(await asked!.json()).toEqual({ url: "https://www.example.com/", source: "192.0.2.70", method: "GET" });
}, 30_000);

test("the settings are saved as a whole", async () => {
	const seen = answer({ ...common, "PUT /forward-proxy/settings": () => ok({ ...settings, revision: 4 }) });
	renderApp([feature], "/forward-proxy?tab=settings");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Contact/ }, wait), "it@example.com");
	await user.type(screen.getByRole("textbox", { name: "Parent proxy" }), "proxy.example.com");
	expect(await screen.findByRole("spinbutton", { name: /Port of the parent proxy/ })).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Save" }));
	await waitFor(() => expect(sent(seen, "PUT", "/settings")).toHaveLength(1), wait);
	const { id: _, revision: __, created_at: ___, updated_at: ____, ...kept } = settings;
	expect(await sent(seen, "PUT", "/settings")[0]!.json()).toEqual({
		...kept,
		contact: "it@example.com",
		parent_host: "proxy.example.com",
	});
}, 40_000);

test("the counters say how much came from the cache", async () => {
	answer(common);
	renderApp([feature], "/forward-proxy?tab=stats");
	expect(await screen.findByText("25%", undefined, wait)).toBeTruthy();
	expect(screen.getByText("Squid 6.13")).toBeTruthy();
}, 30_000);

test("a viewer sees rules and settings and no way to change them", async () => {
	answer({ ...common, "GET /auth/me": () => ok({ ...ann, role: "viewer" }) });
	renderApp([feature], "/forward-proxy");
	await screen.findByRole("list", { name: "Access rules" }, wait);
	expect(screen.queryByRole("button", { name: /Add rule|Move|Actions|Test a request/ })).toBeNull();
	await userEvent.setup().click(screen.getByRole("tab", { name: "Settings" }));
	const panel = await screen.findByRole("tabpanel", { name: "Settings" }, wait);
	expect(await within(panel).findByText("Open in zones", undefined, wait)).toBeTruthy();
	expect(await within(panel).findByText("lan", undefined, wait)).toBeTruthy();
}, 30_000);

test("the palette finds rules, and leads admins to the form and to the test", async () => {
	answer(common);
	const context = { query: "exa", t: (key: string) => key, signal: new AbortController().signal };
	const targets = async (admin: boolean) => (await palette({ ...context, admin })).map(({ to }) => to);
	expect((await targets(true)).slice(0, 3)).toEqual([
		"/forward-proxy?do=create",
		"/forward-proxy?test=yes",
		"/forward-proxy?do=edit&id=a1",
	]);
	expect((await targets(false))[0]).toBe("/forward-proxy?q=example.com");
});
