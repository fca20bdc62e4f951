import { MutationObserver, QueryObserver } from "@tanstack/react-query";
import { beforeAll, beforeEach, expect, test, vi } from "vitest";
import { answer, ok, refusal } from "../test/server";
import {
	ApiError,
	connection,
	identityQuery,
	ifMatch,
	listUsers,
	listUsersOptions,
	login,
	page,
	queryClient,
	session,
	setUp,
	type UserIdentity,
	updateUser,
} from ".";

const ann: UserIdentity = { id: "1", email: "a@b.c", role: "admin", totp_enabled: false, limited: false };

beforeAll(setUp);
beforeEach(() => {
	queryClient.clear();
	session.over.set(false);
	connection.state.set("online");
});

const caught = async (request: Promise<unknown>) => {
	const error = await request.catch((e: unknown) => e);
	expect(error).toBeInstanceOf(ApiError);
	return error as ApiError;
};

test("an answer comes without its envelope, and a list with its total", async () => {
	answer({ "GET /users": () => ok([{ id: "1" }], { "X-Total-Count": "41" }) });
	expect(await page(listUsers({ query: { q: "a" } }))).toEqual({ rows: [{ id: "1" }], total: 41 });
});

test("a refusal is thrown with code, fields and waiting time", async () => {
	const fields = [{ field: "email", message: "is taken" }];
	answer({
		"GET /users": () =>
			refusal(429, { code: "too_many_requests", message: "slow down", fields }, { "Retry-After": "7" }),
	});
	const error = await caught(listUsers());
	expect(error).toMatchObject({ status: 429, code: "too_many_requests", message: "slow down", fields, retryAfter: 7 });
});

test("a change carries the version it is based on, and a 412 the stored state", async () => {
	const seen = answer({
		"PUT /users/1": () => refusal(412, { code: "precondition_failed", current: { revision: 9 } }),
	});
	const body = { email: "a@b.c", role: "viewer" as const };
	const error = await caught(updateUser({ path: { id: "1" }, body, headers: ifMatch({ revision: 3 }) }));
	expect(seen[0]?.headers.get("If-Match")).toBe('"3"');
	expect(error.current).toEqual({ revision: 9 });
});

test("no answer at all takes the connection down", async () => {
	answer({});
	expect((await caught(listUsers())).code).toBe("network");
	expect(connection.state.get()).toBe("api");
});

test("a proxy's own error page counts as no answer", async () => {
	answer({ "GET /users": () => new Response("<h1>503</h1>", { status: 503 }) });
	expect((await caught(listUsers())).code).toBe("api_unavailable");
	expect(connection.state.get()).toBe("api");
});

test("a database that is away is told from an API that is away", async () => {
	answer({ "GET /users": () => refusal(503, { code: "database_unavailable" }) });
	await caught(listUsers());
	expect(connection.state.get()).toBe("database");
});

test("a busy server is no lost connection", async () => {
	answer({ "GET /users": () => refusal(503, { code: "busy" }) });
	await caught(listUsers());
	expect(connection.state.get()).toBe("online");
});

const unauthenticated = () => refusal(401, { code: "unauthenticated" });

test("a 401 ends a session that was there, and only then", async () => {
	answer({ "GET /users": unauthenticated, "GET /auth/me": unauthenticated });
	await caught(listUsers());
	expect(session.over.get()).toBe(false);
	queryClient.setQueryData<UserIdentity | null>(identityQuery.queryKey, ann);
	await caught(listUsers());
	await vi.waitFor(() => expect(session.over.get()).toBe(true));
});

test("a 401 of a request that carried the cookie of before ends nothing, and is asked once more", async () => {
	queryClient.setQueryData<UserIdentity | null>(identityQuery.queryKey, ann);
	let asked = 0;
	answer({
		"GET /users": () => (asked++ === 0 ? unauthenticated() : ok([{ id: "1" }])),
		"GET /auth/me": () => ok(ann),
	});
	const watched = new QueryObserver(queryClient, { ...listUsersOptions(), retry: false });
	const stop = watched.subscribe(() => {});
	await vi.waitFor(() => expect(watched.getCurrentResult().data).toEqual([{ id: "1" }]));
	stop();
	expect([asked, session.over.get()]).toEqual([2, false]);
});

test("whether the session is over is asked after a change that gives it another cookie", async () => {
	queryClient.setQueryData<UserIdentity | null>(identityQuery.queryKey, ann);
	let fresh = false;
	const asked = answer({ "GET /users": unauthenticated, "GET /auth/me": () => (fresh ? ok(ann) : unauthenticated()) });
	let enable = () => {};
	const enabled = new Promise<void>((resolve) => {
		enable = resolve;
	});
	const change = new MutationObserver(queryClient, { mutationFn: () => enabled }).mutate();
	await caught(listUsers());
	fresh = true;
	enable();
	await change;
	await vi.waitFor(() => expect(asked.filter((one) => one.url.endsWith("/auth/me"))).toHaveLength(1));
	expect(session.over.get()).toBe(false);
});

test("a mistyped password says nothing about the session", async () => {
	queryClient.setQueryData<UserIdentity | null>(identityQuery.queryKey, ann);
	answer({ "POST /auth/login": () => refusal(401, { code: "unauthenticated" }) });
	await caught(login({ body: { email: "a@b.c", password: "x" } }));
	expect(session.over.get()).toBe(false);
});
