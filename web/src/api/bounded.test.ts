import { afterEach, expect, test, vi } from "vitest";
import { connection, healthQuery, listUsers, previewRestore, queryClient, setUp, updateUser } from ".";
import { boundOf } from "./bounded";

afterEach(() => {
	vi.restoreAllMocks();
	connection.state.set("online");
});

/** hang has every request wait for ever, and gives up all of them at once. */
function hang() {
	const limits: number[] = [];
	const stops: AbortController[] = [];
	vi.spyOn(AbortSignal, "timeout").mockImplementation((limit) => {
		limits.push(limit);
		stops.push(new AbortController());
		return stops.at(-1)!.signal;
	});
	vi.stubGlobal(
		"fetch",
		({ signal }: Request) => new Promise((_, refuse) => signal.addEventListener("abort", () => refuse(signal.reason))),
	);
	return { limits, giveUp: () => stops.forEach((stop) => void stop.abort()) };
}

test.each([
	["health", () => queryClient.fetchQuery({ ...healthQuery, staleTime: 0 }), 2_500],
	["a read", () => listUsers(), 20_000],
	["a slow read", () => previewRestore({ path: { id: "1" } }), 150_000],
	["a write", () => updateUser({ path: { id: "1" }, body: { email: "a@b.c", role: "viewer" } }), 150_000],
])("a server that hangs counts as away: %s", async (_, request, limit) => {
	setUp();
	const { limits, giveUp } = hang();
	const failed = request().catch((error: unknown) => error);
	await vi.waitFor(() => expect(limits).toContain(limit)); // health may be asked for beside it
	giveUp();
	expect(await failed).toMatchObject({ status: 0, code: "network" });
	expect(connection.state.get()).toBe("api");
});

test("who leaves a page says nothing about the server", async () => {
	setUp();
	const { limits } = hang();
	const stop = new AbortController();
	const failed = listUsers({ signal: stop.signal }).catch((error: unknown) => error);
	await vi.waitFor(() => expect(limits).toContain(20_000));
	stop.abort();
	await failed;
	expect(connection.state.get()).toBe("online");
});

test.each([
	["/backups/1/preview", 150_000],
	["/forward-proxy/lists/1/names", 150_000],
	["/logs", 150_000],
	["/forward-proxy/lists/1", 20_000],
	["/proxy/logs/1", 20_000],
])("a read waits as long as the server works at it: %s", (path, limit) => {
	expect(boundOf({ method: "GET", url: `https://x/api/v1${path}` })).toBe(limit);
});

test("the longest wait for health leaves an idle page time to tell within five seconds", () => {
	expect(boundOf({ method: "GET", url: "https://x/api/v1/system/health" })).toBeLessThanOrEqual(2_500);
});
