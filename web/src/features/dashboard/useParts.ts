import { reloadOnce } from "@api";
import { useQuery } from "@tanstack/react-query";
import type { DashboardCard, Feature, FirstStep } from "@ui/feature";
import { useFeatures } from "@ui/features";

/** Step knows whose it is: its words are in that feature's messages. */
export type Step = FirstStep & { feature: string };

export interface Parts {
	cards: (DashboardCard & { feature: string })[];
	steps: Step[];
	/** Features whose part could not be loaded. */
	missing: string[];
}

const none: Parts = { cards: [], steps: [], missing: [] };

/** useParts is what all features have to show here, each in its order. */
export function useParts(): Parts {
	const features = useFeatures();
	const { data = none } = useQuery({
		queryKey: ["dashboard", "parts"],
		queryFn: () => gather(features),
		// What is missing is asked for again when somebody comes back to the page.
		staleTime: ({ state }) => (state.data?.missing.length === 0 ? Number.POSITIVE_INFINITY : 0),
	});
	return data;
}

/** gather loads the parts; one that cannot be loaded takes no other along. */
async function gather(features: Feature[]): Promise<Parts> {
	const loaded = await Promise.all(
		features.map(async ({ id, dashboard }) => {
			if (!dashboard) return none;
			try {
				const { part } = await reloadOnce(`dashboard of ${id}`, dashboard)();
				return {
					cards: (part.cards ?? []).map((one) => ({ ...one, feature: id })),
					steps: (part.steps ?? []).map((one) => ({ ...one, feature: id })),
					missing: [],
				};
			} catch {
				return { ...none, missing: [id] };
			}
		}),
	);
	return {
		cards: loaded.flatMap(({ cards }) => cards).sort((a, b) => a.order - b.order),
		steps: loaded.flatMap(({ steps }) => steps).sort((a, b) => a.order - b.order),
		missing: loaded.flatMap(({ missing }) => missing),
	};
}
