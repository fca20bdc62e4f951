import type { ProblemsList, TunnelInterface, TunnelPeer, TunnelPeerStatus } from "@api";
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

/** tunnelStateOf is whether a tunnel is in the kernel as it is configured, by what the server found wrong. */
export function tunnelStateOf(tunnel: TunnelInterface, wrong: ProblemsList | undefined): TunnelState {
	if (!tunnel.active) return "off";
	if (!wrong || wrong.unknown.some(({ component }) => component === "tunnel")) return "unknown";
	const isOurs = ({ kind, id }: { kind: string; id: string }) =>
		(kind === "tunnel" && id === tunnel.id) || (kind === "component" && id === "tunnel");
	return wrong.problems.some(({ subject }) => isOurs(subject)) ? "failed" : "up";
}
