import { ArchiveIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "backup",
	nav: { section: "system", order: 30, icon: ArchiveIcon, titleKey: "title" },
	routes: [
		{ path: "/backups", titleKey: "title", page: () => import("./BackupsPage") },
		{ path: "/backups/restore", titleKey: "restore.title", page: () => import("./ProgressPage") },
		{ path: "/backups/$id/restore", titleKey: "wizard.title", page: () => import("./WizardPage"), adminOnly: true },
	],
	palette,
	dashboard: () => import("./dashboard"),
	waits: { problem: "backup.restore_waiting", bar: () => import("./RestoreBar") },
};
