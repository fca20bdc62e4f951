import { BellIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "alert",
	nav: { section: "monitor", order: 10, icon: BellIcon, titleKey: "title" },
	routes: [{ path: "/alerts", titleKey: "title", page: () => import("./AlertsPage") }],
};
