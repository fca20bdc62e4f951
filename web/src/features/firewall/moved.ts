import type { FeatureRoute } from "@ui/feature";

type Moved = NonNullable<FeatureRoute["moved"]>;

/** Pages that were tabs of the firewall once, and their tabs, which had a parameter of their own. */
const pages: Record<string, { to: string; first?: string }> = {
	objects: { to: "/objects", first: "addresses" },
	zones: { to: "/objects", first: "zones" },
	log: { to: "/live-log" },
	connections: { to: "/connections" },
};

/** movedTab leads links and bookmarks of older versions to the page that a tab became; what else they say is kept. */
export const movedTab: Moved = ({ search: { tab, of, ...rest } }) => {
	if (tab === "zones" && of === "interfaces") return { to: "/interfaces", search: rest };
	const page = tab ? pages[tab] : undefined;
	return page && { to: page.to, search: { ...rest, tab: page.first && (of ?? page.first) } };
};

/** movedInterfaces: they were a tab of the objects once. */
export const movedInterfaces: Moved = ({ search: { tab, ...rest } }) =>
	tab === "interfaces" ? { to: "/interfaces", search: rest } : undefined;

/** movedGroup does the same for the page of a group. */
export const movedGroup =
	(kind: "address" | "service"): Moved =>
	({ params, search }) => ({ to: `/objects/${kind}-groups/${params.id}`, search });
