import { queryClient, session, setUp } from "@api";
import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const common = {
	"GET /system/health": () => ok(health),
	"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false }),
	"GET /system/components": () => ok([]),
};
const not = { state: "not_tried", duration_ms: 0 };

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

test("the first broken step is marked, and those after it were not tried", async () => {
	const seen = answer({
		...common,
		"POST /diagnostics/path": () =>
			ok({
				ok: false,
				duration_ms: 1_200,
				steps: {
					dns: { state: "ok", duration_ms: 12, addresses: ["192.0.2.80"] },
					route: { state: "ok", duration_ms: 1, interface: "wan", uplink: "fibre", mtu: 1500, local: false },
					filter: {
						state: "broken",
						duration_ms: 2,
						problem: "dropped",
						error: "no matching rule (default)",
						own: false,
						verdict: "drop",
						decided: { message: "no matching rule (default)", text: "no matching rule (default)" },
					},
					tcp: not,
					tls: { ...not, trusted: false },
				},
			}),
	});
	renderApp([feature], "/diagnostics?tab=path");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Host/ }), "www.example.com");
	await user.type(screen.getByRole("textbox", { name: /From a client/ }), "192.0.2.10");
	await user.click(screen.getByRole("button", { name: "Follow the path" }));
	expect(await screen.findByText("Broken: Packet filter")).toBeTruthy();
	const steps = within(screen.getByRole("region", { name: "Steps of the path" })).getAllByRole("listitem");
	expect(steps.map((step) => step.dataset.state)).toEqual(["ok", "ok", "broken", "not_tried", "not_tried"]);
	expect(steps[0]?.textContent).toContain("192.0.2.80");
	expect(steps[1]?.textContent).toContain("fibre");
	expect(steps[2]?.textContent).toContain("The packet filter does not let it through.");
	expect(steps[3]?.textContent).toContain("Not tried");
	const sent = seen.find(({ url }) => url.endsWith("/diagnostics/path"));
	expect(await sent?.json()).toEqual({ target: "www.example.com", port: 443, tls: true, source: "192.0.2.10" });
});

test("without a broken step the path is whole, and the certificate is told", async () => {
	answer({
		...common,
		"POST /diagnostics/path": () =>
			ok({
				ok: true,
				duration_ms: 40,
				steps: {
					dns: { state: "not_needed", duration_ms: 0, addresses: ["192.0.2.80"] },
					route: { state: "ok", duration_ms: 1, interface: "wan", local: false },
					filter: { state: "ok", duration_ms: 0, own: true, verdict: "accept" },
					tcp: { state: "ok", duration_ms: 3, local: "198.51.100.2:4711", remote: "192.0.2.80:443" },
					tls: {
						state: "ok",
						duration_ms: 20,
						version: "TLS 1.3",
						names: ["www.example.com"],
						issuer: "CN=Some Authority",
						not_after: "2027-01-01T00:00:00Z",
						trusted: true,
					},
				},
			}),
	});
	renderApp([feature], "/diagnostics?tab=path");
	const user = userEvent.setup();
	await user.type(await screen.findByRole("textbox", { name: /Host/ }), "192.0.2.80");
	await user.click(screen.getByRole("button", { name: "Follow the path" }));
	expect(await screen.findByText("No step is broken")).toBeTruthy();
	expect(screen.getByText("The node’s own connections are not filtered")).toBeTruthy();
	expect(screen.getByText("CN=Some Authority")).toBeTruthy();
});

test("the MTU is on the tab of ping", async () => {
	const seen = answer({
		...common,
		"POST /diagnostics/mtu": () => ok({ output: "MTU of the path: 1420 bytes", exit_status: 0, duration_ms: 900 }),
	});
	renderApp([feature], "/diagnostics");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("tab", { name: "MTU" }));
	await user.type(await screen.findByRole("textbox", { name: /Host/ }), "192.0.2.1");
	await user.click(screen.getByRole("button", { name: "Find the MTU" }));
	expect(await screen.findByText("MTU of the path: 1420 bytes")).toBeTruthy();
	const sent = seen.find(({ url }) => url.endsWith("/diagnostics/mtu"));
	expect(await sent?.json()).toEqual({ target: "192.0.2.1" });
});
