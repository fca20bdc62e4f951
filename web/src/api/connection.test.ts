import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection, type ConnectionState } from "./connection";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a lost connection asks until the answer is good, then says so once", async () => {
	const answers: ConnectionState[] = ["api", "database", "online"];
	const asked = vi.fn(() => Promise.resolve(answers.shift() ?? "online"));
	const recovered = vi.fn();
	const connection = new Connection(asked, recovered);
	const seen: ConnectionState[] = [];
	connection.state.subscribe(() => seen.push(connection.state.get()));
	connection.failed("network");
	connection.failed("network");
	await vi.advanceTimersByTimeAsync(30_000);
	expect(seen).toEqual(["api", "database", "online"]);
	expect(asked).toHaveBeenCalledTimes(3);
	expect(recovered).toHaveBeenCalledTimes(1);
});
