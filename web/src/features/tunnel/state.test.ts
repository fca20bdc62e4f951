import type { TunnelPeer, TunnelPeerStatus } from "@api";
import { expect, test } from "vitest";
import { stateOf } from "./state";

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
