import { listProxyDomains } from "@api";
import type { DashboardPart } from "@ui/feature";
import { DomainsCard } from "./DomainsCard";

export const part: DashboardPart = {
	cards: [{ order: 10, card: DomainsCard }],
	steps: [
		{
			id: "publish",
			order: 30,
			titleKey: "publish.title",
			textKey: "card.step",
			to: "/proxy/publish",
			done: async (signal) => (await listProxyDomains({ query: { limit: 1 }, signal })).data.length > 0,
		},
	],
};
