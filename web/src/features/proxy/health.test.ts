import type { ProxyBackend, ProxyServer, ProxyStats } from "@api";
import { expect, test } from "vitest";
import { indexOf, isEmpty, poolHealth, serverState } from "./health";

const pool = (active: boolean, ...servers: boolean[]) =>
	({ id: "p", active, servers: servers.map((on) => ({ active: on })) }) as ProxyBackend;
const counted = (server: string, status: string, mode = "ready", check_status = "L7OK") =>
	indexOf({
		error: null,
		frontends: [],
		backends: [{ backend_id: "p", server, status, mode, check_status }],
	} as unknown as ProxyStats);

test("an active pool without a server that is on answers nobody", () => {
	expect([pool(true), pool(true, false), pool(true, true, false), pool(false)].map(isEmpty)).toEqual([
		true,
		true,
		false,
		false,
	]);
	expect(poolHealth(pool(true), counted("BACKEND", "DOWN"))).toBe("empty");
	expect(poolHealth(pool(false), counted("BACKEND", "UP"))).toBe("off");
});

test("a pool does as HAProxy says, and is unknown before it says anything", () => {
	const words = ["UP", "DEGRADED", "DOWN"].map((status) => poolHealth(pool(true, true), counted("BACKEND", status)));
	expect(words).toEqual(["up", "degraded", "down"]);
	expect(poolHealth(pool(true, true), undefined)).toBe("unknown");
});

test("what nobody checks is not called up", () => {
	expect(poolHealth(pool(true, true), counted("BACKEND", "UP", "ready", ""))).toBe("unchecked");
	const server = { active: true, drain: false } as ProxyServer;
	expect(serverState(server, counted("s", "UP", "ready", "").server("p", "s"))).toBe("unchecked");
	expect(serverState(server, counted("s", "DOWN", "ready", "").server("p", "s"))).toBe("down");
});

test("what is wanted of a server comes before how it does, unless it is down", () => {
	const state = (over: Partial<ProxyServer>, status: string, mode?: string) =>
		serverState({ active: true, drain: false, ...over } as ProxyServer, counted("s", status, mode).server("p", "s"));
	expect(state({}, "UP")).toBe("up");
	expect(state({}, "DEGRADED")).toBe("unsure");
	expect(state({}, "DOWN")).toBe("down");
	expect(state({ drain: true }, "UP", "drain")).toBe("drain");
	expect(state({ drain: true }, "DOWN")).toBe("down");
	expect(state({ active: false }, "DOWN", "maint")).toBe("off");
	expect(serverState({ active: true } as ProxyServer, undefined)).toBe("unknown");
});
