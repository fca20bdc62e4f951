import { CodeBranchIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "change",
	nav: { section: "access", order: 50, icon: CodeBranchIcon, titleKey: "title" },
	routes: [
		{ path: "/changes", titleKey: "title", page: () => import("./HistoryPage") },
		{ path: "/changes/$id", titleKey: "detail", page: () => import("./ChangePage"), adminOnly: true },
	],
	dashboard: () => import("./dashboard"),
};
