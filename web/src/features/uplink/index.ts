import { GlobeRouteIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "uplink",
	nav: { section: "network", order: 25, icon: GlobeRouteIcon, titleKey: "title" },
	routes: [
		{ path: "/uplinks", titleKey: "title", page: () => import("./UplinkPage") },
		{ path: "/uplinks/$id", titleKey: "uplink.detail", page: () => import("./UplinkDetailPage") },
	],
	palette,
};
