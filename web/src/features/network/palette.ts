import { listNetworkInterfaces, listNetworkRoutes } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";

const most = 5;

/** palette finds interfaces and routes, and lets admins create them. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const entry = (id: string, title: string, to: string) => ({ id, title, hint: t("palette.action"), to });
	const actions = admin
		? [
				entry("interface", t("link.create"), "/interfaces?do=create"),
				entry("route", t("route.create"), "/routes?do=create"),
			]
		: [];
	if (query.length < 2) return actions;
	const asked = { query: { q: query, limit: most }, signal };
	const [links, routes] = await Promise.all([listNetworkInterfaces(asked), listNetworkRoutes(asked)]);
	return [
		...actions,
		...links.data.map(({ id, name, role }) => ({
			id,
			title: [name, role].filter(Boolean).join(" "),
			hint: t("palette.link"),
			to: `/interfaces/${id}`,
		})),
		...routes.data.map(({ id, destination, gateway, dev }) => ({
			id,
			title: [destination, gateway || dev].filter(Boolean).join(" "),
			hint: t("palette.route"),
			to: admin ? `/routes?do=edit&id=${id}` : `/routes?q=${encodeURIComponent(destination)}`,
		})),
	];
}
