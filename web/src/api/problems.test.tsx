import { QueryClientProvider } from "@tanstack/react-query";
import { renderHook, waitFor } from "@testing-library/react";
import type { ReactNode } from "react";
import { beforeEach, expect, test } from "vitest";
import { answer, ok } from "../test/server";
import { queryClient } from "./cache";
import { setUp } from "./client";
import { askAgain, useStates } from "./problems";

const within = ({ children }: { children: ReactNode }) => (
	<QueryClientProvider client={queryClient}>{children}</QueryClientProvider>
);

beforeEach(() => {
	setUp();
	queryClient.clear();
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
