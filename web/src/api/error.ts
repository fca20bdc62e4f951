import type { FaultField, FaultWords } from "./generated";

/** ApiError is every failed request: what the server said, or that it said nothing. */
export class ApiError extends Error {
	constructor(
		/** HTTP status; 0 when no answer came at all. */
		readonly status: number,
		/** For programs: "invalid", "conflict", "database_unavailable", "network", … */
		readonly code: string,
		message: string,
		/** What is wrong where in the request. */
		readonly fields: FaultField[] = [],
		/** With 412: the stored state. */
		readonly current?: unknown,
		/** Seconds after which trying again makes sense. */
		readonly retryAfter?: number,
		/** The message by its id, for translations. */
		private readonly words: FaultWords = {},
	) {
		super(message);
		this.name = "ApiError";
	}

	get text(): string | undefined {
		return this.words.text;
	}

	get params(): string[] | undefined {
		return this.words.params;
	}

	get nested(): FaultWords["nested"] {
		return this.words.nested;
	}

	/** with is the same error with other fields, or another stored state. */
	with({ fields = this.fields, current = this.current }: { fields?: FaultField[]; current?: unknown }): ApiError {
		return new ApiError(this.status, this.code, this.message, fields, current, this.retryAfter, this.words);
	}

	/** Nobody can answer right now; the connection banner says so and the pages wait. */
	get away(): boolean {
		return this.code === "network" || this.code === "api_unavailable" || this.code === "database_unavailable";
	}
}

/** fromBody reads the envelope of a failed answer; a proxy's own page has none. */
export function fromBody(body: unknown, response: Response): ApiError {
	const wait = Number(response.headers.get("Retry-After"));
	const error = (body as { error?: Partial<ApiError> } | null)?.error;
	if (typeof error?.code !== "string") {
		const code = response.status >= 502 ? "api_unavailable" : "unexpected";
		return new ApiError(response.status, code, response.statusText || `HTTP ${response.status}`);
	}
	return new ApiError(
		response.status,
		error.code,
		error.message ?? "",
		error.fields ?? [],
		error.current,
		wait > 0 ? wait : undefined,
		{ text: error.text, params: error.params, nested: error.nested },
	);
}
