import { bounded, healthPath } from "./bounded";
import { Store, useStore } from "./store";

/** ConnectionState says who does not answer: the API as a whole, or the database behind it. */
export type ConnectionState = "online" | "api" | "database";

const first = 1_000;
const longest = 2_000;

/**
 * connection knows whether the server answers. A failed request takes it down, then
 * it asks /system/health until the answer is good and calls recovered.
 */
export class Connection {
	readonly state = new Store<ConnectionState>("online");
	private timer: ReturnType<typeof setTimeout> | undefined;
	private wait = first;

	constructor(
		private readonly healthy: () => Promise<ConnectionState>,
		private readonly recovered: () => void,
	) {}

	/** A request failed because nobody could answer. */
	failed = (code: string): void => {
		this.state.set(code === "database_unavailable" ? "database" : "api");
		if (this.timer === undefined) this.later();
	};

	/** A request was answered, so at least the API is back; the next check decides. */
	answered = (): void => {
		if (this.state.get() === "api") this.wait = first;
	};

	/** begin forgets what was: the next test of the same window has a server of its own. */
	begin(): void {
		clearTimeout(this.timer);
		this.timer = undefined;
		this.wait = first;
		this.state.set("online");
	}

	private later(): void {
		this.timer = setTimeout(this.check, this.wait);
		this.wait = Math.min(this.wait * 1.5, longest);
	}

	private check = async (): Promise<void> => {
		const state = await this.healthy();
		this.timer = undefined;
		this.state.set(state);
		if (state !== "online") return this.later();
		this.wait = first;
		this.recovered();
	};
}

const hooks = { recovered: () => {} };

/** connection is the one of this page. */
export const connection = new Connection(askHealth, () => hooks.recovered());

/** onRecovered sets what happens when the server is back. */
export function onRecovered(fn: () => void): void {
	hooks.recovered = fn;
}

// Plain fetch: the generated client would report to us what we are asking for.
async function askHealth(): Promise<ConnectionState> {
	try {
		const response = await bounded(healthPath, { cache: "no-store" });
		if (!response.ok) return "api";
		const body = (await response.json()) as { data: { database: boolean } };
		return body.data.database ? "online" : "database";
	} catch {
		return "api";
	}
}

/** useConnection is how well the server can be reached. */
export const useConnection = (): ConnectionState => useStore(connection.state);
