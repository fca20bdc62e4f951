import { GlobeRouteIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "uplink",
	nav: { section: "network", order: 25, icon: GlobeRouteIcon, titleKey: "title" },
	routes: [{ path: "/uplinks", titleKey: "title", page: () => import("./UplinkPage") }],
};
