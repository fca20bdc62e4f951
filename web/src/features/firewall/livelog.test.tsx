import { queryClient, session, setUp } from "@api";
import { act, screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { renderApp } from "../../test/render";
import { answer, ok } from "../../test/server";
import { feature } from ".";
import { answers } from "./fixture";

const common = Object.fromEntries(
	Object.entries(answers).map(([request, data]) => [
		request,
		() => ok(data, Array.isArray(data) ? { "X-Total-Count": String(data.length) } : {}),
	]),
);

/** Streams that were opened, by their address. */
let streams: { url: string; onmessage?: (event: { data: string }) => void; onopen?: () => void }[] = [];

class FakeSocket {
	onmessage?: (event: { data: string }) => void;
	onopen?: () => void;
	constructor(readonly url: string) {
		streams.push(this);
	}
	close() {}
}

const line = (seq: number, more: object = {}) => ({
	seq,
	timestamp: "2026-01-01T00:00:00Z",
	action: "drop",
	proto: "tcp",
	source: "192.0.2.7",
	source_port: seq,
	destination: "198.51.100.1",
	port: 443,
	interface: "eth0",
	chain: "forward",
	size: 60,
	...more,
});

const log = () => streams.filter(({ url }) => url.includes("/firewall/log/live"));

/** tell sends a message on the last stream of the log. */
const tell = (events: object[], lost = 0) =>
	act(() =>
		log()
			.at(-1)
			?.onmessage?.({ data: JSON.stringify({ events, lost }) }),
	);

const wait = { timeout: 15_000 };

beforeAll(async () => {
	setUp();
	await import("./LogPage");
}, 60_000);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	streams = [];
	vi.stubGlobal("WebSocket", FakeSocket);
	answer(common);
});

test("a log that is paused counts what comes, and what was lost is told", async () => {
	renderApp([feature], "/live-log");
	await waitFor(() => expect(log().length).toBeGreaterThan(0), wait);
	act(() => log().at(-1)?.onopen?.());
	tell([line(1), line(2)], 40);
	expect(await screen.findByText("192.0.2.7:2", undefined, wait)).toBeTruthy();
	expect(screen.getByText(/40 packets were lost/)).toBeTruthy();
	const user = userEvent.setup();
	await user.click(screen.getByRole("button", { name: "Pause" }));
	tell([line(3)]);
	expect(await screen.findByText("1 new line")).toBeTruthy();
	expect(screen.queryByText("192.0.2.7:3")).toBeNull();
	await user.click(screen.getByRole("button", { name: "Follow" }));
	expect(await screen.findByText("192.0.2.7:3")).toBeTruthy();
}, 40_000);

test("another filter is another stream, and its lines are not mixed with those before", async () => {
	renderApp([feature], "/live-log?src=192.0.2.0%2F24");
	await waitFor(() => expect(log().at(-1)?.url).toContain("?src=192.0.2.0%2F24"), wait);
	tell([line(1)]);
	expect(await screen.findByText("192.0.2.7:1", undefined, wait)).toBeTruthy();
	await userEvent.setup().selectOptions(screen.getByRole("combobox", { name: "Action" }), "Dropped");
	await waitFor(() => expect(log().at(-1)?.url).toContain("action=drop"), wait);
	await waitFor(() => expect(screen.queryByText("192.0.2.7:1")).toBeNull());
}, 40_000);

test("a line becomes a rule for just its way", async () => {
	const { history } = renderApp([feature], "/live-log");
	await waitFor(() => expect(log().length).toBeGreaterThan(0), wait);
	tell([line(1)]);
	const user = userEvent.setup();
	await user.click(await screen.findByRole("button", { name: /Actions for 192.0.2.7:1/ }, wait));
	await user.click(await screen.findByRole("menuitem", { name: "Create rule from this packet" }, wait));
	await waitFor(() => expect(history.location.search).toContain("do=create"), wait);
	const start = JSON.parse(new URLSearchParams(history.location.search).get("id") ?? "") as object;
	expect(start).toMatchObject({ src_zone: "wan", source: "192.0.2.7", action: "accept" });
}, 40_000);
