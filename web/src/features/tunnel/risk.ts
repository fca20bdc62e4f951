import type { TunnelInterface, TunnelPeer, TunnelPeerInputWritable } from "@api";

/** tunnelRisk: the administrator may come through it; a new one has no peers yet. */
export const tunnelRisk = (before: TunnelInterface | undefined): boolean => before !== undefined;

const isHost = (network: string) => !network.includes("/") || network.endsWith(network.includes(":") ? "/128" : "/32");

const isWide = (allowed: string[] | undefined) => (allowed ?? []).some((network) => !isHost(network.trim()));

/** peerRisk: the networks of a peer are routes, which may take the way to the administrator along. */
export const peerRisk = (before: TunnelPeer | undefined, body: TunnelPeerInputWritable | undefined): boolean =>
	isWide(before?.allowed_ips) || isWide(body?.allowed_ips);
