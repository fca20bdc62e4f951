import { reloadOnce } from "@api";
import { useQuery } from "@tanstack/react-query";
import type { DashboardCard, Feature, FirstStep } from "@ui/feature";
import { useFeatures } from "@ui/features";

/** Step knows whose it is: its words are in that feature's messages. */
export type Step = FirstStep & { feature: string };

export interface Parts {
	cards: (DashboardCard & { feature: string })[];
	steps: Step[];
}

const none: Parts = { cards: [], steps: [] };

/** useParts is what all features have to show here, each in its order. */
export function useParts(): Parts {
	const features = useFeatures();
	const { data = none } = useQuery({
		queryKey: ["dashboard", "parts"],
		queryFn: () => gather(features),
		staleTime: Number.POSITIVE_INFINITY,
	});
	return data;
}

async function gather(features: Feature[]): Promise<Parts> {
	const loaded = await Promise.all(
		features.map(async ({ id, dashboard }) => {
			const part = dashboard && (await reloadOnce(`dashboard of ${id}`, dashboard)()).part;
			return {
				cards: (part?.cards ?? []).map((one) => ({ ...one, feature: id })),
				steps: (part?.steps ?? []).map((one) => ({ ...one, feature: id })),
			};
		}),
	);
	return {
		cards: loaded.flatMap(({ cards }) => cards).sort((a, b) => a.order - b.order),
		steps: loaded.flatMap(({ steps }) => steps).sort((a, b) => a.order - b.order),
	};
}
