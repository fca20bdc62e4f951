import type { ProxyBackend, ProxyBackendStat, ProxyServer, ProxyStats } from "@api";
import type { Status } from "@ui";

const whole = "BACKEND";

/** Counted is what HAProxy counts, found by pool and server. */
export interface Counted {
	/** Why there are no figures. */
	error: string | null;
	pool: (id: string) => ProxyBackendStat | undefined;
	server: (pool: string, name: string) => ProxyBackendStat | undefined;
	/** Whether anybody asks the pool's servers how they do: HAProxy takes the others for up, whatever they are. */
	checked: (pool: string) => boolean;
}

const key = (pool: string, server: string) => `${pool}\n${server}`;

/** indexOf makes the statistics quick to look into: there can be ten thousand pools. */
export function indexOf(stats: ProxyStats): Counted {
	const rows = new Map(stats.backends.map((row) => [key(row.backend_id, row.server), row]));
	const checked = new Set(stats.backends.filter((row) => row.check_status).map((row) => row.backend_id));
	return {
		error: stats.error,
		pool: (id) => rows.get(key(id, whole)),
		server: (pool, name) => rows.get(key(pool, name)),
		checked: (pool) => checked.has(pool),
	};
}

/**
 * PoolHealth is how a pool does: "empty" has no server that could answer, "unchecked" is up as far as nobody asks,
 * "unknown" is not counted yet.
 */
export type PoolHealth = "up" | "degraded" | "down" | "empty" | "unchecked" | "off" | "unknown";

export const poolLooks: Record<PoolHealth, Status> = {
	up: "success",
	degraded: "warning",
	down: "danger",
	empty: "warning",
	unchecked: "neutral",
	off: "neutral",
	unknown: "neutral",
};

const healths = { UP: "up", DEGRADED: "degraded", DOWN: "down" } as const;

/** isEmpty says that a pool is used and has nobody who could answer. */
export const isEmpty = (pool: Pick<ProxyBackend, "active" | "servers">) =>
	pool.active && !pool.servers.some((server) => server.active);

export function poolHealth(pool: ProxyBackend, counted: Counted | undefined): PoolHealth {
	if (!pool.active) return "off";
	if (isEmpty(pool)) return "empty";
	return countedHealth(pool.id, counted);
}

/** countedHealth is how a pool does by HAProxy's figures alone. */
export function countedHealth(id: string, counted: Counted | undefined): PoolHealth {
	const row = counted?.pool(id);
	const health = row ? (healths[row.status as keyof typeof healths] ?? "unknown") : "unknown";
	return health === "up" && !counted?.checked(id) ? "unchecked" : health;
}

/** ServerState is how one server does. */
export type ServerState = "up" | "unsure" | "down" | "drain" | "unchecked" | "off" | "unknown";

export const serverLooks: Record<ServerState, Status> = {
	up: "success",
	unsure: "warning",
	down: "danger",
	drain: "info",
	unchecked: "neutral",
	off: "neutral",
	unknown: "neutral",
};

/** serverState says what is wanted of a server before how it does: one that is switched off is not broken. */
export function serverState(server: ProxyServer, row: ProxyBackendStat | undefined): ServerState {
	if (!server.active) return "off";
	if (!row) return "unknown";
	if (row.status === "DOWN" && row.mode === "ready") return "down";
	if (server.drain || row.mode === "drain") return "drain";
	if (row.status === "UP") return row.check_status ? "up" : "unchecked";
	return row.status === "DEGRADED" ? "unsure" : "off";
}
