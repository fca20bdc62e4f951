import { ApiError, invalidate, proven, session } from "@api";
import { useMutation } from "@tanstack/react-query";
import type { Operation } from "./openapi";
import type { Call } from "./request";

/** Reply is an answer as it came, whatever it says. */
export interface Reply {
	status: number;
	statusText: string;
	/** Milliseconds until the whole answer was there. */
	took: number;
	headers: [name: string, value: string][];
	text: string;
}

const shown = ["Content-Type", "ETag", "X-Total-Count", "Location", "Retry-After"];

/** pretty indents JSON and leaves any other text alone. */
export function pretty(text: string): string {
	try {
		return JSON.stringify(JSON.parse(text), null, 2);
	} catch {
		return text;
	}
}

async function send(call: Call): Promise<Reply> {
	let start = 0;
	// Not the time in which somebody types the password.
	const timed: typeof fetch = (...request) => {
		start = performance.now();
		return fetch(...request);
	};
	// Not the generated client: a refusal is an answer here, and the envelope stays on.
	const request = { method: call.method, headers: call.headers, body: call.body };
	try {
		const response = await proven(timed)(new URL(call.url, window.location.href), {
			...request,
			credentials: "same-origin",
			cache: "no-store",
		});
		const text = await response.text();
		const headers = shown.flatMap((name) => {
			const value = response.headers.get(name);
			return value === null ? [] : ([[name, value]] as [string, string][]);
		});
		const { status, statusText } = response;
		return { status, statusText, took: performance.now() - start, headers, text: pretty(text) };
	} catch (error) {
		throw new ApiError(0, "network", String(error));
	}
}

/** useSend sends a request with the session of this page, and refetches what it may have changed. */
export function useSend(operation: Operation) {
	return useMutation<Reply, ApiError, Call>({
		mutationFn: send,
		onSuccess: ({ status }) => {
			if (status === 401 && operation.access !== "public") void session.refused();
			if (operation.method !== "GET" && status < 400) void invalidate(operation.tag);
		},
	});
}
