import type { FaultField, FaultUse, FaultWords, Error as Said } from "./generated";

/** Uses are what refers to an object, and so is in the way: the first of them, and how many there are. */
export interface Uses {
	first: FaultUse[];
	total: number;
}

const nobody: Uses = { first: [], total: 0 };

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
		/** With in_use: what refers to the object. */
		readonly uses: Uses = nobody,
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
		const { status, code, message, retryAfter, words, uses } = this;
		return new ApiError(status, code, message, fields, current, retryAfter, words, uses);
	}

	/** Something else refers to the object: asking once more is answered the same until that is changed. */
	get inUse(): boolean {
		return this.code === "in_use";
	}

	/** Nobody can answer right now; the connection banner says so and the pages wait. */
	get away(): boolean {
		return this.code === "network" || this.code === "api_unavailable" || this.code === "database_unavailable";
	}
}

/** fromBody reads the envelope of a failed answer; a proxy's own page has none. */
export function fromBody(body: unknown, response: Response): ApiError {
	const wait = Number(response.headers.get("Retry-After"));
	const error = (body as { error?: Partial<ApiError & Pick<Said, "used_by" | "used_by_total">> } | null)?.error;
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
		error.used_by && { first: error.used_by, total: error.used_by_total ?? error.used_by.length },
	);
}
