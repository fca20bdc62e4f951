import { ChartLineIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "graphs",
	nav: { section: "monitor", order: 5, icon: ChartLineIcon, titleKey: "title" },
	routes: [{ path: "/graphs", titleKey: "title", page: () => import("./GraphsPage") }],
	dashboard: () => import("./dashboard"),
	history: () => import("./HistoryCharts"),
};
