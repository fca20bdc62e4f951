import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answer, ok } from "../test/server";
import { queryClient } from "./cache";
import { setUp } from "./client";
import { useComponents } from "./components";
import { connection } from "./connection";
import type { ProblemsList } from "./generated";
import { problemsOptions } from "./generated/@tanstack/react-query.gen";
import { askAgain, useProblems, useProblemsLive, useStates } from "./problems";

const within = ({ children }: { children: ReactNode }) => (
	<QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);

beforeEach(() => {
	setUp();
	queryClient.clear();
});
afterEach(() => {
	vi.useRealTimers();
	connection.begin();
});

test("news that come faster than answers do not keep an answer away", async () => {
	const waiting: (() => void)[] = [];
	let state = "first";
	answer({
		"GET /problems/states/toy": async () => {
			const now = state;
			await new Promise<void>((resolve) => waiting.push(resolve));
			return ok({ known: true, states: { a: { state: now, code: "", params: {}, message: "" } } });
		},
	});
	const { result } = renderHook(() => useStates("toy")("a")?.state, { wrapper: within });
	const asked = (n: number) => waitFor(() => expect(waiting).toHaveLength(n));
	await asked(1);
	waiting[0]?.();
	await waitFor(() => expect(result.current).toBe("first"));
	state = "second";
	askAgain();
	await asked(2);
	state = "third";
	for (let i = 0; i < 3; i++) askAgain(); // while the answer is under way
	expect(waiting).toHaveLength(2);
	waiting[1]?.();
	await waitFor(() => expect(result.current).toBe("second"));
	await asked(3); // once for all three
	waiting[2]?.();
	await waitFor(() => expect(result.current).toBe("third"));
	expect(waiting).toHaveLength(3);
});

test("states are asked for again when a question was sooner than the stream", async () => {
	const sockets: { onmessage?: (event: { data: string }) => void }[] = [];
	class FakeSocket {
		onmessage?: (event: { data: string }) => void;
		constructor() {
			sockets.push(this);
		}
		close() {}
	}
	vi.stubGlobal("WebSocket", FakeSocket);
	let asked = 0;
	answer({
		"GET /problems/states/toy": () => {
			asked++;
			return ok({ known: true, states: {} });
		},
	});
	const list = (version: string) => ({ version, problems: [], unknown: [], counts: {} }) as unknown as ProblemsList;
	const hear = (version: string) => sockets[0]?.onmessage?.({ data: JSON.stringify(list(version)) });
	renderHook(() => [useProblemsLive(), useStates("toy")], { wrapper: within });
	hear("1");
	await waitFor(() => expect(queryClient.isFetching()).toBe(0));
	const before = asked;
	queryClient.setQueryData(problemsOptions().queryKey, list("2")); // the answer to a question
	hear("2");
	await waitFor(() => expect(asked).toBe(before + 1));
	hear("2");
	await waitFor(() => expect(queryClient.isFetching()).toBe(0));
	expect(asked).toBe(before + 1);
});

test("without the database what a stream may not bring is asked for every three seconds", async () => {
	vi.useFakeTimers({ shouldAdvanceTime: true });
	const asked = { problems: 0, components: 0 };
	answer({
		"GET /problems": () => {
			asked.problems++;
			return ok({ version: "1", problems: [], unknown: [], counts: {} });
		},
		"GET /system/components": () => {
			asked.components++;
			return ok([]);
		},
		"GET /system/health": () => ok({ version: "1.0.0", database: false, setup_complete: true }),
	});
	connection.state.set("database");
	renderHook(() => [useProblems(), useComponents()], { wrapper: within });
	await vi.advanceTimersByTimeAsync(100);
	expect(asked).toEqual({ problems: 1, components: 1 });
	await vi.advanceTimersByTimeAsync(3_500);
	expect(asked).toEqual({ problems: 2, components: 2 });
});
