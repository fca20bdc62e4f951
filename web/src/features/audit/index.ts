import { HistoryIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "audit",
	nav: { section: "access", order: 60, icon: HistoryIcon, titleKey: "title" },
	routes: [{ path: "/audit", titleKey: "title", page: () => import("./AuditPage") }],
	palette: ({ t }) => [
		{ id: "failed", title: t("palette.failed"), hint: t("title"), to: "/audit?action=auth.login.failed" },
	],
};
