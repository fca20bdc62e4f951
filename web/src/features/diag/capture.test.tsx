import { queryClient, session, setUp } from "@api";
import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const none = {
	state: "none",
	by: "",
	interface: "",
	filter: "",
	started_at: null,
	ends_at: null,
	expires_at: null,
	reason: "",
	packets: 0,
	bytes: 0,
	dropped: 0,
	lines: [] as object[],
};
const running = {
	...none,
	state: "running",
	by: "ann@example.com",
	interface: "lan",
	filter: "udp port 53",
	started_at: "2026-01-01T10:00:00Z",
	ends_at: "2026-01-01T10:01:00Z",
	packets: 1,
	bytes: 100,
	lines: [{ at: "2026-01-01T10:00:01.042731Z", length: 60, summary: "192.0.2.1:1024 > 192.0.2.9:53: UDP <b>" }],
};
const ended = { ...running, state: "ended", reason: "stopped", expires_at: "2026-01-01T11:00:30Z", dropped: 7 };

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const server = (first: object, more: Parameters<typeof answer>[0] = {}) => {
	let now = first;
	const become = (next: object) => {
		now = next;
		return ok(next);
	};
	return answer({
		"GET /system/health": () => ok(health),
		"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false }),
		"GET /system/components": () => ok([]),
		"GET /system/interfaces": () =>
			ok([
				{ ifname: "lo", link_type: "loopback", flags: ["UP"], addr_info: [] },
				{ ifname: "lan", link_type: "ether", flags: ["UP"], addr_info: [] },
			]),
		"GET /diagnostics/capture": () => ok(now),
		"POST /diagnostics/capture": () => become(running),
		"POST /diagnostics/capture/stop": () => become(ended),
		"DELETE /diagnostics/capture": () => become(none),
		...more,
	});
};

test("a capture is started, watched, stopped, downloaded and deleted", async () => {
	const seen = server(none);
	renderApp([feature], "/diagnostics/capture");
	const user = userEvent.setup();
	await screen.findByText("lan", undefined, { timeout: 20_000 });
	const choice = screen.getByRole("combobox", { name: /Interface/ });
	expect(within(choice).queryByRole("option", { name: /^lo\b/ })).toBeNull(); // it is refused
	// What is asked for is in two parts, each with what belongs together.
	const part = (name: string, role: string) => within(screen.getByRole("region", { name })).getAllByRole(role).length;
	expect([part("Packets", "combobox"), part("Packets", "textbox"), part("Packets", "spinbutton")]).toEqual([2, 1, 1]);
	expect(part("Limits", "spinbutton")).toBe(3);
	expect(choice.closest("form")?.classList.contains("gw-form-wide")).toBe(true);
	await user.selectOptions(choice, "lan");
	await user.type(screen.getByRole("textbox", { name: /Host/ }), "192.0.2.9");
	await user.click(screen.getByRole("button", { name: "Start capture" }));
	expect(await screen.findByText("Running")).toBeTruthy();
	expect(screen.getByRole("region", { name: "Last packets" }).textContent).toMatch(
		/:00:01\.042 {2}192\.0\.2\.1:1024 > 192\.0\.2\.9:53: UDP <b>/,
	);
	expect(within(screen.getByRole("region", { name: "Capture" })).getByRole("status").textContent).toBe("Running");
	expect(screen.queryByRole("button", { name: "Start capture" })).toBeNull();
	const sent = seen.find(({ url, method }) => method === "POST" && url.endsWith("/diagnostics/capture"));
	expect(await sent?.json()).toMatchObject({ interface: "lan", host: "192.0.2.9", protocol: "any", max_seconds: 60 });

	await user.click(screen.getByRole("button", { name: "Stop" }));
	expect(await screen.findByText("Stopped")).toBeTruthy();
	expect(screen.getByText("Stopped").closest("[data-status]")?.getAttribute("data-status")).toBe("warning");
	expect(screen.getByText(/7 packets were dropped/)).toBeTruthy();
	// What was asked for stands there for the next one, which says what it would delete.
	expect(screen.getByRole<HTMLInputElement>("textbox", { name: /Host/ }).value).toBe("192.0.2.9");
	expect(screen.getByText(/deletes the one below, started by ann@example\.com/)).toBeTruthy();
	const link = screen.getByRole("link", { name: "Download" });
	expect(link.getAttribute("href")).toBe("/api/v1/diagnostics/capture/file");
	await user.click(screen.getByRole("button", { name: "Delete" }));
	const dialog = await screen.findByRole("dialog");
	expect(seen.some(({ method }) => method === "DELETE")).toBe(false);
	await user.click(within(dialog).getByRole("button", { name: "Delete" }));
	await waitFor(() => expect(screen.queryByText("Stopped")).toBeNull());
	expect(seen.some(({ method }) => method === "DELETE")).toBe(true);
	expect(screen.getByRole("button", { name: "Start capture" })).toBeTruthy();
});

test("a capture that somebody else started is shown", async () => {
	server({ ...running, by: "bob@example.com" });
	renderApp([feature], "/diagnostics/capture");
	expect(await screen.findByText("bob@example.com")).toBeTruthy();
	expect(screen.getByText("udp port 53")).toBeTruthy();
});

test("why a capture failed is said", async () => {
	const error = {
		message: "no space is left on the disk of this node",
		text: "no space is left on the disk of this node",
	};
	server({ ...ended, reason: "failed", error });
	renderApp([feature], "/diagnostics/capture");
	expect(await screen.findByText("Ended by an error")).toBeTruthy();
	expect(screen.getByText("No space is left on the disk of this node.")).toBeTruthy();
});

test("a capture that ended as it should is neither good nor bad", async () => {
	server({ ...ended, reason: "packets", dropped: 0 });
	renderApp([feature], "/diagnostics/capture");
	const label = await screen.findByText("Packet limit reached");
	expect(label.closest("[data-status]")?.getAttribute("data-status")).toBe("neutral");
});

const no = () => refusal(503, { code: "timeout", message: "this took too long" });

test("a capture that cannot be stopped says why", async () => {
	server(running, { "POST /diagnostics/capture/stop": no });
	renderApp([feature], "/diagnostics/capture");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Stop" }));
	expect(await screen.findByText(/This took too long/)).toBeTruthy();
});

test("a capture that cannot be deleted says why", async () => {
	server(ended, { "DELETE /diagnostics/capture": no });
	renderApp([feature], "/diagnostics/capture");
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: "Delete" }));
	const dialog = await screen.findByRole("dialog");
	await user.click(within(dialog).getByRole("button", { name: "Delete" }));
	expect(await within(dialog).findByText(/This took too long/)).toBeTruthy();
});
