import { me } from "@api";
import type { DashboardPart } from "@ui/feature";

export const part: DashboardPart = {
	steps: [
		{
			id: "totp",
			order: 40,
			titleKey: "first.title",
			textKey: "first.text",
			to: "/account?tab=second-factor&do=enrol",
			done: async (signal) => (await me({ signal })).data.totp_enabled,
		},
	],
};
