/** AskForTicket asks whoever sits there for the password, and answers the ticket for an operation; undefined when they would not. */
type AskForTicket = (operation: string, body: unknown) => Promise<string | undefined>;

let ask: AskForTicket | undefined;
/** The dialog before, if there is one: two at a time would be one too many. */
let turn: Promise<unknown> = Promise.resolve();

/** onPasswordNeeded has somebody ask for the password where the server needs it once more, until it is called off. */
export function onPasswordNeeded(asker: AskForTicket): () => void {
	ask = asker;
	return () => {
		if (ask === asker) ask = undefined;
	};
}

const needed = async (response: Response) => {
	if (response.status !== 401) return false;
	const body = await response
		.clone()
		.json()
		.catch(() => undefined);
	return body?.error?.code === "password_required";
};

/** operationOf is how the server calls a request: by its method, and its path below the API. */
const operationOf = ({ method, url }: Request) => `${method} ${new URL(url).pathname.replace(/^\/api\/v1/, "")}`;

/**
 * proven is fetch for what the server does only for somebody who gives the password once more: it asks for it, and repeats the
 * request. Whoever sent it waits, and need not know.
 */
export const proven =
	(send: typeof fetch): typeof fetch =>
	async (input, init) => {
		const request = new Request(input, init);
		if (request.method === "GET") return send(request);
		const again = request.clone();
		const response = await send(request);
		if (!ask || !(await needed(response))) return response;
		const body = await again
			.clone()
			.json()
			.catch(() => undefined);
		const asked = turn.then(() => ask?.(operationOf(again), body));
		turn = asked.catch(() => undefined);
		const ticket = await asked;
		if (!ticket) return response;
		again.headers.set("Gateway-Ticket", ticket);
		return send(again);
	};
