import type { ProblemState, TunnelInterface, TunnelPeer, TunnelPeerStatus } from "@api";
import type { Status } from "@ui";

export type PeerState = "connected" | "idle" | "never" | "off" | "expired" | "unknown";

export const looks: Record<PeerState, Status> = {
	connected: "success",
	idle: "neutral",
	never: "neutral",
	off: "neutral",
	expired: "warning",
	unknown: "neutral",
};

/** WireGuard negotiates keys every two minutes while packets flow, and gives up after three. */
const fresh = 180_000;

/** stateOf is how a peer is doing. */
export function stateOf(peer: TunnelPeer, live: Record<string, TunnelPeerStatus> | undefined, now: number): PeerState {
	if (!peer.active) return "off";
	if (peer.expires_at && Date.parse(peer.expires_at) <= now) return "expired";
	if (!live) return "unknown";
	const at = live[peer.public_key]?.last_handshake;
	if (!at) return "never";
	return now - Date.parse(at) < fresh ? "connected" : "idle";
}

export type TunnelState = "up" | "failed" | "off" | "unknown";

export const tunnelLooks: Record<TunnelState, Status> = {
	up: "success",
	failed: "danger",
	off: "neutral",
	unknown: "neutral",
};

/** tunnelStateOf is whether a tunnel is in the kernel as it is configured: own is what is wrong with it, all with every one. */
export function tunnelStateOf(
	tunnel: Pick<TunnelInterface, "active">,
	own: ProblemState | undefined,
	all: ProblemState | undefined,
): TunnelState {
	if (!tunnel.active) return "off";
	const wrong = [own, all].filter((state) => state !== undefined).map(({ state }) => state);
	if (wrong.some((state) => state !== "unknown")) return "failed";
	return wrong.length > 0 ? "unknown" : "up";
}
