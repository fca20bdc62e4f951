import { DirectionsIcon, NetworkIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "network",
	nav: [
		{ section: "network", order: 10, icon: NetworkIcon, titleKey: "link.title", to: "/interfaces" },
		{ section: "network", order: 20, icon: DirectionsIcon, titleKey: "routes.title", to: "/routes" },
	],
	routes: [
		{ path: "/interfaces", titleKey: "link.title", page: () => import("./InterfacesPage") },
		{ path: "/interfaces/$id", titleKey: "link.detail", page: () => import("./InterfacePage") },
		{ path: "/routes", titleKey: "routes.title", page: () => import("./RoutesPage") },
	],
	palette,
};
