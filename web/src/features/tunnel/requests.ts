import {
	createTunnelPeer,
	getTunnelInterfaceOptions,
	invalidate,
	listTunnelInterfacesOptions,
	listTunnelPeersOptions,
	type TunnelPeer,
	type TunnelPeerInputWritable,
	tunnelPeerConfig,
	tunnelPeerQr,
	tunnelStatusOptions,
	useCurrent,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

const most = 1000;

const allTunnels = listTunnelInterfacesOptions({ query: { limit: most, sort: "name" } });

/** useTunnels are all tunnels, by name. */
export const useTunnels = () => useQuery(allTunnels).data ?? [];

/** useAnyTunnel says whether there is a tunnel; undefined while nobody knows. */
export const useAnyTunnel = (): boolean | undefined => {
	const { data } = useQuery(allTunnels);
	return data && data.length > 0;
};

export const useTunnel = (id: string) => useQuery(getTunnelInterfaceOptions({ path: { id } }));

/** usePeers are the first thousand peers of a tunnel. */
export const usePeers = (tunnel: string) =>
	useQuery(listTunnelPeersOptions({ query: { limit: most, sort: "name", filter: `interface_id:${tunnel}` } }));

/** useTunnelChoices lets a form choose one. */
export const useTunnelChoices = (): Choice[] => useTunnels().map(({ id, name }) => ({ value: id, label: name }));

/** useServers are the tunnels that a device can be added to. */
export const useServers = () => useTunnels().filter((tunnel) => tunnel.mode === "server" && tunnel.endpoint !== "");

export const useServerChoices = (): Choice[] => useServers().map(({ id, name }) => ({ value: id, label: name }));

/** useStatus is what WireGuard says of each peer, by public key; undefined while it cannot be asked. */
export const useStatus = () => useCurrent(useQuery({ ...tunnelStatusOptions(), refetchInterval: 5_000 }));

export const useAddDevice = () =>
	useMutation({
		mutationFn: async (body: TunnelPeerInputWritable) => (await createTunnelPeer({ body })).data,
		onSuccess: () => invalidate("tunnel"),
	});

/** useCode is the QR code of a peer's configuration. It holds a private key, so nothing of it is kept. */
export const useCode = (peer: TunnelPeer) =>
	useQuery({
		queryKey: ["tunnel code", peer.id, peer.revision],
		queryFn: async ({ signal }) => {
			const { data } = await tunnelPeerQr({ path: { id: peer.id }, parseAs: "blob", signal });
			return asDataURL(data as Blob);
		},
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 0,
		retry: false,
	});

export const useConfig = (peer: TunnelPeer) =>
	useMutation({
		mutationFn: async () => (await tunnelPeerConfig({ path: { id: peer.id }, parseAs: "text" })).data as string,
	});

const asDataURL = (blob: Blob): Promise<string> =>
	new Promise((resolve, reject) => {
		const reader = new FileReader();
		reader.onload = () => resolve(String(reader.result));
		reader.onerror = () => reject(reader.error ?? new Error("read an image"));
		reader.readAsDataURL(blob);
	});
