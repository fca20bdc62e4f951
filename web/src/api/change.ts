import type { FaultWords, IntentFile, IntentRow } from "./generated";
import { wordsReady } from "./words";

/** Ask is what somebody may say about a change beyond the change itself. */
export interface Ask {
	/** Only look what would change. */
	dryRun?: boolean;
	/** Seconds after which it is undone, unless somebody confirms it. */
	confirmWithin?: number;
	/** Why, for the history. */
	reason?: string;
}

/** Plan is what a dry run answers. */
export interface Plan {
	rows: IntentRow[];
	files: IntentFile[];
}

/** Outcome is what came of a change. */
export interface Outcome {
	/** Its id. */
	change: string;
	/** Undefined when it concerns no daemon. */
	apply?: "live" | "pending" | "failed";
	/** Why it is not live. */
	reason?: string;
	/** The reason by its id, for translations. */
	words?: FaultWords;
	/** Undone unless somebody confirms it. */
	waits: boolean;
	/** It was to wait for that, and does not: it concerns no daemon, and stays. */
	atOnce?: boolean;
	/** It failed and is undone by itself, as it would be without a confirmation. */
	reverts?: boolean;
}

/** Done is an answer together with what came of the change. */
export interface Done<T> {
	data: T;
	outcome?: Outcome;
}

type Answer<T> = Promise<{ data: T; response: Response }>;

const longest = 500;

/** Headers carry bytes, which JavaScript spells as letters below 256; ours are UTF-8. */
const toBytes = (text: string) => String.fromCharCode(...new TextEncoder().encode(text));

function fromBytes(text: string): string {
	const bytes = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
	return new TextDecoder().decode(bytes);
}

/** shortened is a text of one line that the server takes as a reason: at most 500 bytes, no letter cut in two. */
export function shortened(text: string): string {
	const line = text.replace(/\s+/g, " ").trim();
	let out = "";
	let size = 0;
	for (const letter of line) {
		size += new TextEncoder().encode(letter).length;
		if (size > longest) return out;
		out += letter;
	}
	return out;
}

/** headersOf says it to the server. */
export function headersOf(ask: Ask): Record<string, string> {
	const headers: Record<string, string> = {};
	const reason = shortened(ask.reason ?? "");
	if (reason) headers["Gateway-Reason"] = toBytes(reason);
	if (ask.dryRun) headers["Gateway-Dry-Run"] = "true";
	// What is only tried out cannot wait for anybody.
	else if (ask.confirmWithin) headers["Gateway-Confirm-Within"] = String(ask.confirmWithin);
	return headers;
}

/**
 * outcomeOf reads an answer's headers; undefined when nothing was changed. Whether it waits is the server's to say: a
 * change that concerns no daemon never does, and its answer names no apply.
 */
export function outcomeOf(response: Response, ask: Ask = {}): Outcome | undefined {
	const change = response.headers.get("Gateway-Change");
	if (!change) return undefined;
	const apply = (response.headers.get("Gateway-Apply") ?? undefined) as Outcome["apply"];
	const reason = response.headers.get("Gateway-Apply-Reason");
	const text = response.headers.get("Gateway-Apply-Text");
	return {
		change,
		apply,
		reason: reason ? fromBytes(reason) : undefined,
		...(text ? { words: { text: fromBytes(text), ...wordsOf(response) } } : {}),
		waits: Boolean(ask.confirmWithin && apply) && apply !== "failed",
		...(ask.confirmWithin && !apply ? { atOnce: true } : {}),
		...(ask.confirmWithin && apply === "failed" ? { reverts: true } : {}),
	};
}

/** wordsOf reads the parameters of a reason, and which of them are messages themselves. */
function wordsOf({ headers }: Response): Pick<FaultWords, "params" | "nested"> {
	const params = headers.get("Gateway-Apply-Params");
	const nested = headers.get("Gateway-Apply-Nested");
	return {
		params: params ? JSON.parse(fromBytes(params)) : [],
		...(nested ? { nested: JSON.parse(fromBytes(nested)) } : {}),
	};
}

/** carryOut makes a change and tells what came of it. */
export async function carryOut<T>(ask: Ask, send: (headers: Record<string, string>) => Answer<T>): Promise<Done<T>> {
	const { data, response } = await send(headersOf(ask));
	const outcome = outcomeOf(response, ask);
	if (outcome?.reason) await wordsReady();
	return { data, outcome };
}

/** tryOut asks what a change would do, and changes nothing. */
export async function tryOut(send: (headers: Record<string, string>) => Answer<unknown>): Promise<Plan> {
	const { data } = await send(headersOf({ dryRun: true }));
	return data as Plan;
}
