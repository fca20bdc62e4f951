import { listCertCertificates } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";
import { byHostName } from "@ui/hostName";

/** palette finds certificates by their names, and lets admins add one. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const add = {
		id: "create",
		title: t("certificate.create"),
		hint: t("palette.action"),
		to: "/certificates?do=create",
	};
	const actions = admin ? [add] : [];
	if (query.length < 2) return actions;
	const { data } = await byHostName(listCertCertificates)({ query: { q: query, limit: 5 }, signal });
	return [
		...actions,
		...data.map(({ id, names }) => ({ id, title: names[0] ?? id, hint: t("detail"), to: `/certificates/${id}` })),
	];
}
