import { TachometerAltIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "dashboard",
	nav: { section: "overview", order: 0, icon: TachometerAltIcon, titleKey: "title" },
	routes: [{ path: "/", titleKey: "title", page: () => import("./DashboardPage") }],
};
