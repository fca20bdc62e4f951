import type { ProxyBackend, ProxyBackendStat, ProxyServer, ProxyStats } from "@api";
import type { Status } from "@ui";

const whole = "BACKEND";

/** Counted is what HAProxy counts, found by pool and server. */
export interface Counted {
	/** Why there are no figures. */
	error: string | null;
	pool: (id: string) => ProxyBackendStat | undefined;
	server: (pool: string, name: string) => ProxyBackendStat | undefined;
}

const key = (pool: string, server: string) => `${pool}\n${server}`;

/** indexOf makes the statistics quick to look into: there can be ten thousand pools. */
export function indexOf(stats: ProxyStats): Counted {
	const rows = new Map(stats.backends.map((row) => [key(row.backend_id, row.server), row]));
	return {
		error: stats.error,
		pool: (id) => rows.get(key(id, whole)),
		server: (pool, name) => rows.get(key(pool, name)),
	};
}

/** PoolHealth is how a pool does: "empty" has no server that could answer, "unknown" is not counted yet. */
export type PoolHealth = "up" | "degraded" | "down" | "empty" | "off" | "unknown";

export const poolLooks: Record<PoolHealth, Status> = {
	up: "success",
	degraded: "warning",
	down: "danger",
	empty: "warning",
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
	const row = counted?.pool(pool.id);
	return row ? (healths[row.status as keyof typeof healths] ?? "unknown") : "unknown";
}

/** ServerState is how one server does. */
export type ServerState = "up" | "unsure" | "down" | "drain" | "off" | "unknown";

export const serverLooks: Record<ServerState, Status> = {
	up: "success",
	unsure: "warning",
	down: "danger",
	drain: "info",
	off: "neutral",
	unknown: "neutral",
};

/** serverState says what is wanted of a server before how it does: one that is switched off is not broken. */
export function serverState(server: ProxyServer, row: ProxyBackendStat | undefined): ServerState {
	if (!server.active) return "off";
	if (!row) return "unknown";
	if (row.status === "DOWN" && row.mode === "ready") return "down";
	if (server.drain || row.mode === "drain") return "drain";
	return row.status === "DEGRADED" ? "unsure" : row.status === "UP" ? "up" : "off";
}
