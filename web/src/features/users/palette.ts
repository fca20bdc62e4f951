import { listUsers } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";

/** palette finds users by their e-mail, and lets admins create one. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const create = { id: "create", title: t("create"), hint: t("palette.action"), to: "/users?do=create" };
	const actions = admin ? [create] : [];
	if (query.length < 2) return actions;
	const { data } = await listUsers({ query: { q: query, limit: 5 }, signal });
	const target = (id: string, email: string) =>
		admin ? `/users?do=edit&id=${id}` : `/users?q=${encodeURIComponent(email)}`;
	return [
		...actions,
		...data.map(({ id, email }) => ({ id, title: email, hint: t("palette.user"), to: target(id, email) })),
	];
}
