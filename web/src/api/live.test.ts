import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { connection } from "./connection";
import { openLive } from "./live";

class FakeSocket {
	static made: FakeSocket[] = [];
	onopen?: () => void;
	onclose?: (event: { code: number }) => void;
	onmessage?: (event: { data: string }) => void;
	close = vi.fn();
	constructor(readonly url: string) {
		FakeSocket.made.push(this);
	}
}

beforeEach(() => {
	FakeSocket.made = [];
	vi.useFakeTimers();
	vi.stubGlobal("WebSocket", FakeSocket);
});
afterEach(() => {
	vi.useRealTimers();
	connection.begin();
});

test("a stream comes back after it was cut, later and later", async () => {
	const messages: number[] = [];
	const states: string[] = [];
	const stop = openLive<number>("ws://x/", { onMessage: (n) => messages.push(n), onStatus: (s) => states.push(s) });
	FakeSocket.made[0]?.onopen?.();
	FakeSocket.made[0]?.onmessage?.({ data: "1" });
	FakeSocket.made[0]?.onclose?.({ code: 1006 });
	await vi.advanceTimersByTimeAsync(700);
	expect(FakeSocket.made).toHaveLength(2);
	FakeSocket.made[1]?.onclose?.({ code: 1006 });
	await vi.advanceTimersByTimeAsync(700);
	expect(FakeSocket.made).toHaveLength(2);
	await vi.advanceTimersByTimeAsync(700);
	expect(FakeSocket.made).toHaveLength(3);
	expect(messages).toEqual([1]);
	expect(states.slice(0, 4)).toEqual(["connecting", "open", "waiting", "connecting"]);
	stop();
	FakeSocket.made[2]?.onclose?.({ code: 1000 });
	await vi.advanceTimersByTimeAsync(60_000);
	expect(FakeSocket.made).toHaveLength(3);
});

test("a stream that the server ended asks about the session", () => {
	const refused = vi.fn();
	const stop = openLive("ws://x/", { onMessage: () => {}, onStatus: () => {}, onRefused: refused });
	FakeSocket.made[0]?.onopen?.();
	FakeSocket.made[0]?.onclose?.({ code: 1008 });
	expect(refused).toHaveBeenCalledTimes(1);
	stop();
});

test.each([
	["is still open", () => FakeSocket.made[0]?.onopen?.()],
	["waits long", () => FakeSocket.made[0]?.onclose?.({ code: 1006 })],
])("a stream that %s begins anew when the server is back", (_, before) => {
	const messages: number[] = [];
	const stop = openLive<number>("ws://x/", { onMessage: (n) => messages.push(n), onStatus: () => {} });
	before();
	connection.state.set("api");
	expect(FakeSocket.made).toHaveLength(1);
	connection.state.set("online");
	expect(FakeSocket.made).toHaveLength(2);
	FakeSocket.made[0]?.onmessage?.({ data: "1" });
	FakeSocket.made[1]?.onmessage?.({ data: "2" });
	expect(messages).toEqual([2]);
	stop();
	connection.state.set("api");
	connection.state.set("online");
	expect(FakeSocket.made).toHaveLength(2);
});

test("a stream that waits is tried at once when the database goes or is back, and an open one is left alone", () => {
	const stop = openLive("ws://x/", { onMessage: () => {}, onStatus: () => {} });
	FakeSocket.made[0]?.onopen?.();
	connection.state.set("database");
	connection.state.set("online");
	expect(FakeSocket.made).toHaveLength(1);
	FakeSocket.made[0]?.onclose?.({ code: 1013 });
	connection.state.set("database");
	expect(FakeSocket.made).toHaveLength(2);
	FakeSocket.made[1]?.onclose?.({ code: 1006 });
	connection.state.set("online");
	expect(FakeSocket.made).toHaveLength(3);
	stop();
});
