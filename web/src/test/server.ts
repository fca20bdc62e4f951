import { vi } from "vitest";

type Handler = (request: Request) => Response | Promise<Response>;

/** ok is a good answer of the API, with its envelope. */
export const ok = (data: unknown, headers: Record<string, string> = {}, status = 200) =>
	Response.json({ data, error: null }, { status, headers });

type Said = { message?: string; text?: string };

/** worded: a message without parameters is its own id, as with the real server. */
const worded = <T extends Said>(said: T): T => ({ text: said.message, ...said });

/** refusal is a failed one. */
export function refusal(
	status: number,
	{ fields = [], ...error }: Said & { fields?: (Said & { field: string })[] } & Record<string, unknown>,
	headers: Record<string, string> = {},
) {
	const body = { ...worded({ message: "no", ...error }), fields: fields.map(worded) };
	return Response.json({ data: null, error: body }, { status, headers });
}

/** listed answers requests with data as the server does, lists with their length. */
export const listed = (data: Record<string, unknown>): Record<string, Handler> =>
	Object.fromEntries(
		Object.entries(data).map(([request, one]) => [
			request,
			() => ok(one, Array.isArray(one) ? { "X-Total-Count": String(one.length) } : {}),
		]),
	);

/** answer replaces fetch by handlers named "GET /users"; it returns the requests that came. */
export function answer(handlers: Record<string, Handler>): Request[] {
	const seen: Request[] = [];
	vi.stubGlobal("fetch", async (input: RequestInfo | URL, init?: RequestInit) => {
		const request = input instanceof Request ? input : new Request(new URL(String(input), window.location.href), init);
		seen.push(request.clone());
		const path = new URL(request.url).pathname.replace("/api/v1", "");
		const handler = handlers[`${request.method} ${path}`];
		if (!handler) throw new TypeError(`nobody answers ${request.method} ${path}`);
		return handler(request);
	});
	return seen;
}
