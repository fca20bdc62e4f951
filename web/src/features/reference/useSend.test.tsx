import { onPasswordNeeded, queryClient } from "@api";
import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook } from "@testing-library/react";
import { expect, test } from "vitest";
import { answer, ok, refusal } from "../../test/server";
import type { Operation } from "./openapi";
import { useSend } from "./useSend";

const operation = { method: "POST", path: "/auth/tokens", tag: "user", access: "self" } as Operation;
const call = {
	method: "POST",
	url: "/api/v1/auth/tokens",
	headers: { "Content-Type": "application/json" },
	body: "{}",
};

/** sent is what the page shows of a request that needs the password, after what its dialog answered. */
async function sent(ticket: string | undefined) {
	const asked: string[] = [];
	const stop = onPasswordNeeded(async (what) => {
		asked.push(what);
		return ticket;
	});
	const seen = answer({
		"GET /auth/me": () => ok({ id: "1" }),
		"POST /auth/tokens": ({ headers }) =>
			headers.get("Gateway-Ticket") === "t-1"
				? ok({ token: "made" }, {}, 201)
				: refusal(401, { code: "password_required", message: "this needs your password once more" }),
	});
	const { result } = renderHook(() => useSend(operation), {
		wrapper: ({ children }) => <QueryClientProvider client={queryClient}>{children}</QueryClientProvider>,
	});
	const reply = await result.current.mutateAsync(call);
	stop();
	const posts = await Promise.all(seen.filter(({ method }) => method === "POST").map((request) => request.text()));
	return { asked, posts, reply };
}

test("a request that needs the password is sent again with the ticket for it", async () => {
	const { asked, posts, reply } = await sent("t-1");
	expect(asked).toEqual(["POST /auth/tokens"]);
	expect(posts).toEqual(["{}", "{}"]);
	expect(reply.status).toBe(201);
	expect(reply.text).toContain("made");
});

test("without the password the refusal is shown as it came", async () => {
	const { posts, reply } = await sent(undefined);
	expect(posts).toEqual(["{}"]);
	expect(reply.status).toBe(401);
	expect(reply.text).toContain("password_required");
});
