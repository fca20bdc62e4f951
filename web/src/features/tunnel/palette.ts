import { listTunnelInterfaces, listTunnelPeers } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";

const most = 5;

/** palette finds tunnels and peers by their names, and lets admins create them. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const entry = (id: string, title: string, to: string) => ({ id, title, hint: t("palette.action"), to });
	const actions = admin
		? [
				entry("tunnel", t("interface.create"), "/tunnels?tab=tunnels&do=create"),
				entry("peer", t("peer.create"), "/tunnels?tab=peers&do=create"),
			]
		: [];
	if (query.length < 2) return actions;
	const asked = { query: { q: query, limit: most }, signal };
	const [tunnels, peers] = await Promise.all([listTunnelInterfaces(asked), listTunnelPeers(asked)]);
	return [
		...actions,
		...tunnels.data.map(({ id, name }) => ({ id, title: name, hint: t("interface.detail"), to: `/tunnels/${id}` })),
		...peers.data.map(({ id, name, interface_id: tunnel }) => ({
			id,
			title: name,
			hint: t("palette.peer"),
			to: `/tunnels/${tunnel}?tab=peers&q=${encodeURIComponent(name)}`,
		})),
	];
}
