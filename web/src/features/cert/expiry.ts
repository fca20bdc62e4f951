import type { Certificate } from "@api";
import type { Status } from "@ui";

/** Expiry is how much of its time a certificate has left. */
export interface Expiry {
	/** Of the lifetime, 0 to 1. */
	left: number;
	/** Whole days; negative when it ran out. */
	days: number;
	look: Status;
}

const day = 86_400_000;

/** Two weeks ahead, or a quarter of a short lifetime: by then renewing has failed for a while. */
const warning = (lifetime: number) => Math.min(14 * day, lifetime / 4);

/** expiryOf reads a certificate's bar; undefined while there is none yet. */
export function expiryOf(
	{ not_before, expires_at }: Pick<Certificate, "not_before" | "expires_at">,
	now: number,
): Expiry | undefined {
	if (!expires_at || !not_before) return undefined;
	const end = Date.parse(expires_at);
	const lifetime = end - Date.parse(not_before);
	const rest = end - now;
	const left = lifetime > 0 ? Math.min(1, Math.max(0, rest / lifetime)) : 0;
	const look = rest <= 0 ? "danger" : rest < warning(lifetime) ? "warning" : "success";
	return { left, days: Math.floor(rest / day), look };
}
