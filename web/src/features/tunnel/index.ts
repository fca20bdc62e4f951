import { PluggedIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "tunnel",
	nav: { section: "network", order: 22, icon: PluggedIcon, titleKey: "title" },
	routes: [
		{ path: "/tunnels", titleKey: "title", page: () => import("./TunnelPage") },
		{ path: "/tunnels/$id", titleKey: "interface.detail", page: () => import("./TunnelDetailPage") },
	],
	palette,
};
