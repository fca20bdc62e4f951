import { useCan } from "@api";
import { useQueries } from "@tanstack/react-query";
import type { Feature, PaletteContext, PaletteEntry } from "@ui/feature";
import { useFeatures } from "@ui/features";
import i18next from "i18next";
import { useRef } from "react";
import { best } from "./fuzzy";
import { navOf } from "./sections";

const translate = (feature: Feature) => i18next.getFixedT(null, feature.id);

/** inOrder puts the features as the navigation has them; those that are not in it come last. */
function inOrder(features: Feature[], admin: boolean): Feature[] {
	const listed = navOf(features, admin).flatMap((section) => section.entries.map((entry) => entry.feature));
	return [...new Set([...listed, ...features])];
}

/** pagesOf are the pages that an account can go to; those with a parameter in their path are reached through objects. */
export function pagesOf(features: Feature[], admin: boolean): PaletteEntry[] {
	return inOrder(features, admin).flatMap((feature) =>
		feature.routes
			.filter((route) => !route.bare && !route.path.includes("$") && (admin || !route.adminOnly))
			.map((route) => ({ id: `page ${route.path}`, title: translate(feature)(route.titleKey), to: route.path })),
	);
}

/** ask is one feature's answer to what was typed. */
async function ask(feature: Feature, context: Omit<PaletteContext, "t">): Promise<PaletteEntry[]> {
	const found = await feature.palette?.({ ...context, t: translate(feature) });
	return (found ?? []).map((entry) => ({ ...entry, id: `${feature.id} ${entry.id}` }));
}

/** usePalette finds pages, actions and objects for what was typed. */
export function usePalette(query: string): PaletteEntry[] {
	const features = useFeatures();
	const admin = useCan("admin");
	const providers = features.filter((feature) => feature.palette);
	const answers = useQueries({
		queries: providers.map((feature) => ({
			queryKey: ["palette", feature.id, query, admin],
			queryFn: ({ signal }: { signal: AbortSignal }) => ask(feature, { query, admin, signal }),
			retry: false,
		})),
	});
	// While an answer is on its way the one before it stands in, as far as it still fits.
	const before = useRef<Record<string, PaletteEntry[]>>({});
	for (const [i, feature] of providers.entries()) {
		const entries = answers[i]?.data;
		if (entries) before.current[feature.id] = entries;
	}
	return best(query, [...pagesOf(features, admin), ...Object.values(before.current).flat()]);
}
