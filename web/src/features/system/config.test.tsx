import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";
import { filesOf, resultsOf } from "./config";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const ann = { id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false };
const state = (component: string) => ({
	component,
	stage: "live",
	wanted: "a",
	installed: "a",
	observed: "a",
	error: "",
	since: "2026-01-01T00:00:00Z",
	drift: [],
	problems: [],
	keep_edits: false,
});
const unboundFile = "/etc/unbound/unbound.conf.d/gateway.conf";
const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok(ann),
	"GET /system/components": () => ok([state("dns"), state("ntp")]),
	"GET /system/config-preview": () => ok([{ component: "dns", files: { [unboundFile]: "server:\n  port: 53\n" } }]),
};
const at = "/system?tab=components";

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const called = (seen: Request[], method: string, end: string) =>
	seen.filter((request) => request.method === method && new URL(request.url).pathname.endsWith(end));

test("a viewer reads the files of a component, asked for when it is opened, and changes nothing", async () => {
	const seen = answer({ ...common, "GET /auth/me": () => ok({ ...ann, role: "viewer" }) });
	renderApp([feature], `${at}&do=reload`);
	const files = (await screen.findByRole("heading", { name: "Configuration files" })).closest("section")!;
	expect(called(seen, "GET", "/config-preview")).toEqual([]);
	await userEvent.setup().click(within(files).getByText("DNS resolver (Unbound)"));
	expect(await within(files).findByText(/port: 53/)).toBeTruthy();
	expect(within(files).getByText(unboundFile)).toBeTruthy();
	expect(within(files).getByText("2 lines")).toBeTruthy();
	expect(called(seen, "GET", "/config-preview").map((request) => new URL(request.url).search)).toEqual([
		"?generator=dns",
	]);
	expect(screen.queryByRole("button", { name: /Render and apply|Reload/ })).toBeNull();
	expect(screen.queryByRole("dialog")).toBeNull();
});

test("rendering all says of every component how it went", async () => {
	const results = [
		{ ok: false, rendered: ["dns"], errors: { ntp: "the database does not answer" } },
		{ ok: true, rendered: ["dns", "ntp"], errors: {} },
	];
	answer({ ...common, "POST /system/render-configs": () => ok(results.shift()) });
	renderApp([feature], at);
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Render and apply all" }));
	const notice = (await screen.findByText(/1 component is not live/)).closest('[role="status"]') as HTMLElement;
	expect(within(notice).getAllByRole("listitem")[0]?.textContent).toMatch(/^Time server \(chrony\): The database/);
	expect(within(notice).getByText("DNS resolver (Unbound): Live")).toBeTruthy();
	await user.click(screen.getByRole("button", { name: "Render and apply all" }));
	expect(await within(notice).findByText(/All components are live/)).toBeTruthy();
});

test("a reload says what it does first, and stays open with the reason when HAProxy refuses", async () => {
	let tries = 0;
	const why = "HAProxy rejected its configuration and keeps the previous one; see its log";
	const seen = answer({
		...common,
		"POST /system/proxy-reload": () =>
			tries++ === 0 ? refusal(503, { code: "refused_by_haproxy", message: why }) : ok(null),
	});
	renderApp([feature], at);
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Reload HAProxy" }));
	const dialog = await screen.findByRole("dialog", { name: "Reload HAProxy" });
	expect(within(dialog).getByText(/Open connections are kept/)).toBeTruthy();
	expect(called(seen, "POST", "/proxy-reload")).toEqual([]);
	await user.click(within(dialog).getByRole("button", { name: "Reload" }));
	expect(await within(dialog).findByText(/HAProxy rejected its configuration and keeps the previous one/)).toBeTruthy();
	await user.click(within(dialog).getByRole("button", { name: "Reload" }));
	expect(await screen.findByText("HAProxy was reloaded")).toBeTruthy();
	expect(screen.queryByRole("dialog")).toBeNull();
});

test("failures come first, files by their paths with their lines counted", () => {
	expect(resultsOf({ rendered: ["dns"], errors: { ntp: "no" } }).map(({ component }) => component)).toEqual([
		"ntp",
		"dns",
	]);
	expect(filesOf([{ component: "proxy", files: { "/b": "x\ny", "/a": "", "/c": "x\n" } }])).toEqual([
		{ path: "/a", text: "", lines: 0 },
		{ path: "/b", text: "x\ny", lines: 2 },
		{ path: "/c", text: "x\n", lines: 1 },
	]);
});
