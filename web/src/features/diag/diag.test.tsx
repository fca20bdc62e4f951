import { queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false }),
	"GET /system/components": () => ok([]),
};

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test("a tool is sent what was typed, and its output is shown as text", async () => {
	const seen = answer({
		...common,
		"POST /diagnostics/ping": () => ok({ output: "64 bytes <b>from</b>", exit_status: 0, duration_ms: 3_040 }),
	});
	renderApp([feature], "/diagnostics");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Host/ }), "192.0.2.1");
	await user.click(screen.getByRole("button", { name: "Ping" }));
	expect(await screen.findByText("64 bytes <b>from</b>")).toBeTruthy();
	expect(screen.getByText("Answered")).toBeTruthy();
	expect(screen.getByText("3 s")).toBeTruthy();
	const sent = seen.find(({ url }) => url.endsWith("/diagnostics/ping"));
	expect(await sent?.json()).toEqual({ target: "192.0.2.1" });
});

test("another tool begins without the output of the one before", async () => {
	answer({
		...common,
		"POST /diagnostics/curl": () => ok({ output: "dial tcp: refused", exit_status: 1, duration_ms: 5 }),
	});
	renderApp([feature], "/diagnostics?tab=curl");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /URL/ }), "http://192.0.2.1/");
	await user.click(screen.getByRole("button", { name: "Request" }));
	expect(await screen.findByText("No answer")).toBeTruthy();
	await user.click(screen.getByRole("tab", { name: "TCP port" }));
	expect(await screen.findByRole("button", { name: "Connect" })).toBeTruthy();
	expect(screen.queryByText("No answer")).toBeNull();
});

test("what is refused stands at the field", async () => {
	const fields = [{ field: "target", message: "must be an IP address or a host name" }];
	answer({ ...common, "POST /diagnostics/traceroute": () => refusal(400, { code: "invalid", fields }) });
	renderApp([feature], "/diagnostics?tab=traceroute");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Host/ }), "a_b-");
	await user.click(screen.getByRole("button", { name: "Trace the route" }));
	expect(await screen.findAllByText(/IP address or a host name/)).toBeTruthy();
	expect(document.getElementById("field-target-help")?.textContent).toMatch(/IP address or a host name/);
});

test("a support bundle is downloaded, and the page says what is in it", async () => {
	answer(common);
	renderApp([feature], "/diagnostics");
	const section = await screen.findByRole("region", { name: "Support bundle" });
	expect(section.textContent).toMatch(/names and addresses of your network, but no stored passwords or keys/);
	const link = screen.getByRole("link", { name: "Download support bundle" });
	expect(link.getAttribute("href")).toBe("/api/v1/diagnostics/support-bundle");
	expect(link.hasAttribute("download")).toBe(true);
});
