import type { Feature, SectionId } from "@ui/feature";

/** sections in the order of the navigation; their titles are in messages, "section.<id>". */
export const sections: SectionId[] = ["overview", "publish", "network", "security", "monitor", "system", "access"];

export interface NavEntry {
	feature: Feature;
	to: string;
}

/** navOf is the navigation that an account sees: sections with their entries, empty ones left out. */
export function navOf(features: Feature[], admin: boolean): { id: SectionId; entries: NavEntry[] }[] {
	const entries = features
		.filter((feature) => feature.nav)
		.map((feature) => ({ feature, to: feature.nav?.to ?? feature.routes[0]?.path ?? "/" }))
		.filter(({ feature, to }) => admin || !feature.routes.find((route) => route.path === to)?.adminOnly)
		.sort((a, b) => a.feature.nav!.order - b.feature.nav!.order);
	return sections
		.map((id) => ({ id, entries: entries.filter((entry) => entry.feature.nav!.section === id) }))
		.filter((section) => section.entries.length > 0);
}
