import type { ProblemState, TunnelInterface, TunnelPeer, TunnelPeerInputWritable, TunnelPeerStatus } from "@api";
import { expect, test } from "vitest";
import { peerRisk, tunnelRisk } from "./risk";
import { stateOf, tunnelStateOf } from "./state";

const now = Date.parse("2026-11-01T12:00:00Z");
const peer = (more: Partial<TunnelPeer> = {}) =>
	({ public_key: "k", active: true, expires_at: null, ...more }) as TunnelPeer;
const seen = (last_handshake: string | null) => ({ k: { last_handshake } as TunnelPeerStatus });

test("the state of a peer follows its switch, its end and its last handshake", () => {
	expect(stateOf(peer({ active: false }), seen("2026-11-01T12:00:00Z"), now)).toBe("off");
	expect(stateOf(peer({ expires_at: "2026-11-01T11:00:00Z" }), seen("2026-11-01T12:00:00Z"), now)).toBe("expired");
	expect(stateOf(peer(), undefined, now)).toBe("unknown");
	expect(stateOf(peer(), {}, now)).toBe("never");
	expect(stateOf(peer(), seen(null), now)).toBe("never");
	expect(stateOf(peer(), seen("2026-11-01T11:58:00Z"), now)).toBe("connected");
	expect(stateOf(peer(), seen("2026-11-01T11:50:00Z"), now)).toBe("idle");
});

test("a tunnel is up only while nothing is wrong with it, and that is known", () => {
	const state = (state: string) => ({ state }) as ProblemState;
	expect(tunnelStateOf({ active: true }, undefined, undefined)).toBe("up");
	expect(tunnelStateOf({ active: true }, state("not_applied"), undefined)).toBe("failed");
	expect(tunnelStateOf({ active: true }, undefined, state("held"))).toBe("failed");
	expect(tunnelStateOf({ active: true }, state("not_applied"), state("unknown"))).toBe("failed");
	expect(tunnelStateOf({ active: true }, state("unknown"), undefined)).toBe("unknown");
	expect(tunnelStateOf({ active: true }, undefined, state("unknown"))).toBe("unknown");
	expect(tunnelStateOf({ active: false }, state("not_applied"), undefined)).toBe("off");
});

test("what may cut the administrator off is to be confirmed", () => {
	const body = (...allowed_ips: string[]) => ({ allowed_ips }) as unknown as TunnelPeerInputWritable;
	expect(tunnelRisk(undefined)).toBe(false);
	expect(tunnelRisk({ id: "t" } as TunnelInterface)).toBe(true);
	expect(peerRisk(undefined, body("10.8.0.2/32", "fd00::2/128"))).toBe(false);
	expect(peerRisk(undefined, body("10.8.0.2", "0.0.0.0/0"))).toBe(true);
	expect(peerRisk({ allowed_ips: ["::/0"] } as unknown as TunnelPeer, undefined)).toBe(true);
});
