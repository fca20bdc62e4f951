import type { Feature, NavItem, SectionId } from "@ui/feature";

/** sections in the order of the navigation; their titles are in messages, "section.<id>". */
export const sections: SectionId[] = ["overview", "publish", "network", "security", "monitor", "system", "access"];

export interface NavEntry {
	feature: Feature;
	item: NavItem;
	to: string;
}

/** entriesOf are the entries of one feature, with the paths that they lead to. */
const entriesOf = (feature: Feature): NavEntry[] =>
	[feature.nav ?? []].flat().map((item) => ({ feature, item, to: item.to ?? feature.routes[0]?.path ?? "/" }));

/** navOf is the navigation that an account sees: sections with their entries, empty ones left out. */
export function navOf(features: Feature[], admin: boolean): { id: SectionId; entries: NavEntry[] }[] {
	const entries = features
		.flatMap(entriesOf)
		.filter(({ feature, to }) => admin || !feature.routes.find((route) => route.path === to)?.adminOnly)
		.sort((a, b) => a.item.order - b.item.order);
	return sections
		.map((id) => ({ id, entries: entries.filter((entry) => entry.item.section === id) }))
		.filter((section) => section.entries.length > 0);
}
