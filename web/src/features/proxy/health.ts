import type { FaultWords, ProxyBackendStat, ProxyStats } from "@api";

const whole = "BACKEND";

/** Counted is what HAProxy counts, found by pool and server. */
export interface Counted {
	/** Why there are no figures. */
	error: string | null;
	error_words?: FaultWords;
	pool: (id: string) => ProxyBackendStat | undefined;
	server: (pool: string, name: string) => ProxyBackendStat | undefined;
}

const key = (pool: string, server: string) => `${pool}\n${server}`;

/** indexOf makes the statistics quick to look into: there can be ten thousand pools. */
export function indexOf(stats: ProxyStats): Counted {
	const rows = new Map(stats.backends.map((row) => [key(row.backend_id, row.server), row]));
	return {
		error: stats.error,
		error_words: stats.error_words,
		pool: (id) => rows.get(key(id, whole)),
		server: (pool, name) => rows.get(key(pool, name)),
	};
}
