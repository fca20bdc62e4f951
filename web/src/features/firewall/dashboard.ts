import { listFirewallRules, listNetworkInterfaces } from "@api";
import type { DashboardPart } from "@ui/feature";
import { BlockedCard } from "./BlockedCard";

export const part: DashboardPart = {
	cards: [{ order: 30, card: BlockedCard }],
	steps: [
		{
			id: "zones",
			order: 10,
			titleKey: "first.zones",
			textKey: "first.zonesText",
			to: "/interfaces",
			done: async (signal) =>
				(await listNetworkInterfaces({ query: { limit: 1000 }, signal })).data.some(({ role }) => role),
		},
		{
			id: "rule",
			order: 20,
			titleKey: "first.rule",
			textKey: "first.ruleText",
			to: "/firewall?do=create",
			done: async (signal) => (await listFirewallRules({ query: { limit: 1 }, signal })).data.length > 0,
		},
	],
};
