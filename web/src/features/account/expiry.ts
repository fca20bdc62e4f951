import type { Status } from "@ui";

const day = 86_400_000;
const soonDays = 14;

/** Expiry of a token: how it is shown, and the key below "tokens" that words it. */
export interface Expiry {
	key: "expired" | "soon" | "valid";
	status: Status | undefined;
}

/** expiryOf tells what can be said about a token's end. */
export function expiryOf(expiresAt: string, now = new Date()): Expiry {
	const left = new Date(expiresAt).getTime() - now.getTime();
	if (left <= 0) return { key: "expired", status: "danger" };
	if (left <= soonDays * day) return { key: "soon", status: "warning" };
	return { key: "valid", status: undefined };
}
