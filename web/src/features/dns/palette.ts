import { listDnsRecords } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";

/** palette finds records by name and value, and lets admins create one. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const create = { id: "create", title: t("record.create"), hint: t("palette.action"), to: "/dns?do=create" };
	const actions = admin ? [create] : [];
	if (query.length < 2) return actions;
	const { data } = await listDnsRecords({ query: { q: query, limit: 5 }, signal });
	const target = (id: string, name: string) => (admin ? `/dns?do=edit&id=${id}` : `/dns?q=${encodeURIComponent(name)}`);
	return [
		...actions,
		...data.map(({ id, fqdn, name, type, value }) => ({
			id,
			title: `${fqdn.replace(/\.$/, "")} ${type} ${value}`,
			hint: t("palette.record"),
			to: target(id, name),
		})),
	];
}
