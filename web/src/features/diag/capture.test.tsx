import { queryClient, session, setUp } from "@api";
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
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
	lines: [{ at: "2026-01-01T10:00:01Z", length: 60, summary: "192.0.2.1:1024 > 192.0.2.9:53: UDP <b>" }],
};
const ended = { ...running, state: "ended", reason: "stopped", expires_at: "2026-01-01T11:00:30Z", dropped: 7 };

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
});

const server = (first: object) => {
	let now = first;
	const become = (next: object) => {
		now = next;
		return ok(next);
	};
	return answer({
		"GET /system/health": () => ok(health),
		"GET /auth/me": () => ok({ id: "1", email: "ann@example.com", role: "admin", totp_enabled: false, limited: false }),
		"GET /system/components": () => ok([]),
		"GET /system/interfaces": () => ok([{ ifname: "lan", flags: ["UP"], addr_info: [] }]),
		"GET /diagnostics/capture": () => ok(now),
		"POST /diagnostics/capture": () => become(running),
		"POST /diagnostics/capture/stop": () => become(ended),
		"DELETE /diagnostics/capture": () => become(none),
	});
};

test("a capture is started, watched, stopped, downloaded and deleted", async () => {
	const seen = server(none);
	renderApp([feature], "/diagnostics/capture");
	const user = userEvent.setup();
	await screen.findByText("lan", undefined, { timeout: 20_000 });
	const choice = screen.getByRole("combobox", { name: /Interface/ });
	await user.selectOptions(choice, "lan");
	await user.type(screen.getByRole("textbox", { name: /Host/ }), "192.0.2.9");
	await user.click(screen.getByRole("button", { name: "Start capture" }));
	expect(await screen.findByText("Running")).toBeTruthy();
	expect(screen.getByText(/192\.0\.2\.9:53: UDP <b>/)).toBeTruthy();
	expect(screen.queryByRole("button", { name: "Start capture" })).toBeNull();
	const sent = seen.find(({ url, method }) => method === "POST" && url.endsWith("/diagnostics/capture"));
	expect(await sent?.json()).toMatchObject({ interface: "lan", host: "192.0.2.9", protocol: "any", max_seconds: 60 });

	await user.click(screen.getByRole("button", { name: "Stop" }));
	expect(await screen.findByText("Stopped")).toBeTruthy();
	expect(screen.getByText(/7 packets are missing/)).toBeTruthy();
	const link = screen.getByRole("link", { name: "Download" });
	expect(link.getAttribute("href")).toBe("/api/v1/diagnostics/capture/file");
	await user.click(screen.getByRole("button", { name: "Delete" }));
	expect(await screen.findByRole("button", { name: "Start capture" })).toBeTruthy();
	expect(screen.queryByText("Stopped")).toBeNull();
});

test("a capture that somebody else started is shown", async () => {
	server({ ...running, by: "bob@example.com" });
	renderApp([feature], "/diagnostics/capture");
	expect(await screen.findByText("bob@example.com")).toBeTruthy();
	expect(screen.getByText("udp port 53")).toBeTruthy();
});
