import { listForwardproxyAcls } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";
import { nameOf, page } from "./acl";

const most = 5;

/** palette finds access rules by what they compare and by name, and lets admins add one or test a request. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const entry = (id: string, title: string, to: string) => ({ id, title, hint: t("palette.action"), to });
	const actions = admin
		? [entry("create", t("acl.create"), `${page}?do=create`), entry("test", t("test.title"), `${page}?test=yes`)]
		: [];
	if (query.length < 2) return actions;
	const { data } = await listForwardproxyAcls({ query: { q: query, limit: most }, signal });
	return [
		...actions,
		...data.map((acl) => ({
			id: acl.id,
			title: `${t(`acl.option.action.${acl.action}`)}: ${nameOf(acl)}`,
			hint: t("palette.acl"),
			to: admin ? `${page}?do=edit&id=${acl.id}` : `${page}?q=${encodeURIComponent(acl.value)}`,
		})),
	];
}
