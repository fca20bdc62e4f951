import { getBackupStatus } from "@api";
import type { DashboardPart } from "@ui/feature";

export const part: DashboardPart = {
	steps: [
		{
			id: "backup",
			order: 50,
			titleKey: "first.title",
			textKey: "first.text",
			to: "/backups",
			done: async (signal) => (await getBackupStatus({ signal })).data.last_success_at !== null,
		},
	],
};
