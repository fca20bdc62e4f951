import { listUplinks } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";

/** palette finds uplinks by name and interface, and lets admins create one. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const create = { id: "create", title: t("uplink.create"), hint: t("palette.action"), to: "/uplinks?do=create" };
	const actions = admin ? [create] : [];
	if (query.length < 2) return actions;
	const { data } = await listUplinks({ query: { q: query, limit: 5 }, signal });
	return [
		...actions,
		...data.map(({ id, name, interface: link }) => ({
			id,
			title: `${name} ${link}`,
			hint: t("uplink.detail"),
			to: `/uplinks/${id}`,
		})),
	];
}
