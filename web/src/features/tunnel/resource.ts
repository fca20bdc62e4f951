import {
	createTunnelInterface,
	createTunnelPeer,
	defineResource,
	deleteTunnelInterface,
	deleteTunnelPeer,
	getTunnelInterface,
	getTunnelPeer,
	listTunnelInterfaces,
	listTunnelPeers,
	type TunnelInterface,
	type TunnelInterfaceInputWritable,
	type TunnelPeer,
	type TunnelPeerInputWritable,
	updateTunnelInterface,
	updateTunnelPeer,
} from "@api";
import { peerRisk, tunnelRisk } from "./risk";

export const tunnels = defineResource<TunnelInterface, TunnelInterfaceInputWritable>({
	path: "/tunnel/interfaces",
	tag: "tunnel",
	component: "tunnel",
	risky: tunnelRisk,
	name: (tunnel) => tunnel.name,
	list: listTunnelInterfaces,
	get: getTunnelInterface,
	create: createTunnelInterface,
	update: updateTunnelInterface,
	remove: deleteTunnelInterface,
});

export const peers = defineResource<TunnelPeer, TunnelPeerInputWritable>({
	path: "/tunnel/peers",
	tag: "tunnel",
	component: "tunnel",
	risky: peerRisk,
	name: (peer) => peer.name,
	list: listTunnelPeers,
	get: getTunnelPeer,
	create: createTunnelPeer,
	update: updateTunnelPeer,
	remove: deleteTunnelPeer,
});

/** peersOf are the peers of one tunnel. */
export const peersOf = (tunnel: string): typeof peers => ({
	...peers,
	of: tunnel,
	list: ({ query, signal }) =>
		listTunnelPeers({ query: { ...query, filter: `interface_id:${tunnel}` } as typeof query, signal }),
});
