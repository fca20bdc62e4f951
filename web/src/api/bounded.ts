/** How long a request may take, in milliseconds. The server itself ends a read after 15 s and its longest write after two minutes. */
const bounds = { health: 2_500, read: 20_000, write: 150_000 };

/**
 * Reads that the server works at for longer: a backup is compared with all that there is now, a list may have a million names,
 * and a search reads the journal.
 */
const slow = /\/(backups\/[^/]+\/preview|forward-proxy\/lists\/[^/]+\/names|logs)$/;

/** healthPath is what is asked to find out whether anybody answers: the answer is there at once or not at all. */
export const healthPath = "/api/v1/system/health";

/** boundOf is how long it is waited for the answer to a request. */
export function boundOf({ method, url }: Pick<Request, "method" | "url">): number {
	const { pathname } = new URL(url);
	if (pathname === healthPath) return bounds.health;
	return method === "GET" && !slow.test(pathname) ? bounds.read : bounds.write;
}

/**
 * bounded is fetch that gives up. A server or proxy that hangs keeps a connection open without ever
 * answering: without a bound, a page would wait with it and go on showing what was true before.
 */
export function bounded(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
	const request = new Request(input, init);
	const signal = AbortSignal.any([request.signal, AbortSignal.timeout(boundOf(request))]);
	return globalThis.fetch(new Request(request, { signal }));
}
