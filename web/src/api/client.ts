import { bounded } from "./bounded";
import { connection } from "./connection";
import { ApiError, fromBody } from "./error";
import { client } from "./generated/client.gen";
import { proven } from "./proof";
import { session } from "./session";
import { wordsReady } from "./words";

/** unwrap takes the envelope off an answer; what has none (the OpenAPI document) stays as it is. */
function unwrap(body: unknown): Promise<unknown> {
	const enveloped = typeof body === "object" && body !== null && "data" in body && "error" in body;
	return Promise.resolve(enveloped ? body.data : body);
}

/** A 401 that says nothing about the session: the caller mistyped something. */
const mistyped = /\/(auth\/(login|login\/totp|reset-password)|setup\/.*)$/;

/**
 * setUp makes every generated function answer data or throw an ApiError, and tells
 * the connection and the session what they need to know. It is called once.
 */
export function setUp(): void {
	client.setConfig({
		responseTransformer: unwrap,
		credentials: "same-origin",
		cache: "no-store",
		fetch: proven(bounded),
	});
	client.interceptors.response.use((response) => {
		if (response.ok) connection.answered();
		return response;
	});
	client.interceptors.error.use(async (error, response, request) => {
		if (request?.signal.aborted) return error;
		const failure = response ? fromBody(error, response) : new ApiError(0, "network", String(error));
		if (failure.away) connection.failed(failure.code);
		const refused = failure.status === 401 && failure.code === "unauthenticated";
		if (refused && !mistyped.test(new URL(request.url).pathname)) void session.refused();
		// Whoever catches it words it at once. That nobody is signed in is said in words of ours.
		else if (response && !failure.away) await wordsReady();
		return failure;
	});
}
