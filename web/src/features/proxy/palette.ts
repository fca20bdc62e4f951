import { listProxyBackends, listProxyDomains } from "@api";
import type { PaletteContext, PaletteEntry } from "@ui/feature";
import { byHostName } from "@ui/hostName";

const most = 5;

/** palette finds sites and pools by their names, and lets admins publish a site. */
export async function palette({ query, admin, t, signal }: PaletteContext): Promise<PaletteEntry[]> {
	const publish = { id: "publish", title: t("publish.title"), hint: t("palette.action"), to: "/proxy/publish" };
	const actions = admin ? [publish] : [];
	if (query.length < 2) return actions;
	const [sites, pools] = await Promise.all([
		byHostName(listProxyDomains)({ query: { q: query, limit: most }, signal }),
		listProxyBackends({ query: { q: query, limit: most }, signal }),
	]);
	return [
		...actions,
		...sites.data.map(({ id, name }) => ({ id, title: name, hint: t("palette.site"), to: `/proxy/sites/${id}` })),
		...pools.data.map(({ id, name }) => ({ id, title: name, hint: t("palette.pool"), to: `/proxy/pools/${id}` })),
	];
}
