import { type AuditEntry, queryClient, setUp } from "@api";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok, refusal } from "../../test/server";
import { feature } from ".";

class FakeSocket {
	static last: FakeSocket | undefined;
	onopen?: () => void;
	onmessage?: (event: { data: string }) => void;
	close = vi.fn();
	constructor() {
		FakeSocket.last = this;
	}
}

const entry = (seq: number, more: Partial<AuditEntry> = {}): AuditEntry => ({
	id: `e${seq}`,
	created_at: `2026-02-03T10:00:0${seq}.123456Z`,
	actor: "ann@example.com",
	action: "auth.login.failed",
	subject: `subject-${seq}`,
	detail: { reason: "<img src=x onerror=alert(1)>" },
	node_id: "n1",
	seq,
	...more,
});
const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const me = { id: "1", email: "ann@example.com", role: "viewer", totp_enabled: false, limited: false };

const serve = (entries: AuditEntry[]) =>
	answer({
		"GET /system/health": () => ok(health),
		"GET /auth/me": () => ok(me),
		"GET /audit/search": () => ok(entries),
	});
const searches = (seen: Request[]) =>
	seen.filter((request) => request.url.includes("/audit/search")).map((request) => new URL(request.url).searchParams);

beforeAll(async () => {
	setUp();
	// Loading it is not what is looked at.
	await import("./AuditPage");
	// Rows are drawn where there is room, and jsdom has none.
	for (const side of ["offsetHeight", "offsetWidth", "clientHeight", "clientWidth"]) {
		Object.defineProperty(HTMLElement.prototype, side, { configurable: true, value: 600 });
	}
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	vi.stubGlobal("WebSocket", FakeSocket);
});

test("entries open into their details, and what comes from outside stays text", async () => {
	serve([entry(2, { action: "lamp.bulb.create" }), entry(1)]);
	renderApp([feature], "/audit");
	expect(await screen.findByText("lamp.bulb.create")).toBeTruthy();
	const row = screen.getByRole("button", { name: /Sign-in failed/ });
	await userEvent.click(row);
	expect(row.getAttribute("aria-expanded")).toBe("true");
	expect(screen.getByText(/onerror=alert/)).toBeTruthy();
	expect(document.querySelector("img[src=x]")).toBeNull();
});

test("an operation that was confirmed with the password is named as on its page", async () => {
	serve([entry(1, { action: "auth.ticket.issue", subject: "PUT /users/01a1" })]);
	renderApp([feature], "/audit");
	expect(await screen.findByText("Edit user")).toBeTruthy();
});

test("a new entry appears by itself; a paused log counts it", async () => {
	serve([entry(1)]);
	renderApp([feature], "/audit");
	await screen.findByText("subject-1");
	const hear = (message: AuditEntry) => act(() => FakeSocket.last?.onmessage?.({ data: JSON.stringify(message) }));
	act(() => FakeSocket.last?.onopen?.());
	expect(screen.getByText("Live")).toBeTruthy();
	hear(entry(1));
	hear(entry(2));
	expect(await screen.findByText("subject-2")).toBeTruthy();
	expect(screen.getAllByText("subject-1")).toHaveLength(1);
	await userEvent.click(screen.getByRole("button", { name: "Pause" }));
	hear(entry(3));
	const more = await screen.findByRole("button", { name: "1 new entry" });
	expect(screen.queryByText("subject-3")).toBeNull();
	await userEvent.click(more);
	expect(await screen.findByText("subject-3")).toBeTruthy();
});

test("filters go to the URL and to the server; a short subject to neither", async () => {
	const seen = serve([entry(1)]);
	const { history } = renderApp([feature], "/audit?action=auth.login.failed");
	await screen.findByText("Search results");
	expect(searches(seen)[0]?.get("action")).toBe("auth.login.failed");
	const user = userEvent.setup();
	await user.type(screen.getByLabelText("Object"), "ab");
	expect(await screen.findByText(/Enter at least 3 characters/)).toBeTruthy();
	await user.type(screen.getByLabelText("Object"), "c");
	await vi.waitFor(() => expect(history.location.search).toContain("subject=abc"));
	await vi.waitFor(() => expect(searches(seen).at(-1)?.get("subject")).toBe("abc"));
	expect(searches(seen).some((query) => query.get("subject") === "ab")).toBe(false);
});

test("a log that cannot be read is not one without entries", async () => {
	answer({
		"GET /system/health": () => ok(health),
		"GET /auth/me": () => ok(me),
		"GET /audit/search": () => refusal(503, { code: "database_unavailable" }),
	});
	renderApp([feature], "/audit");
	expect(await screen.findByText("Number of entries unknown")).toBeTruthy();
	expect(screen.queryByText("0 entries")).toBeNull();
});
