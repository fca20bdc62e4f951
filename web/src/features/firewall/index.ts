import { ShieldAltIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "firewall",
	nav: { section: "security", order: 10, icon: ShieldAltIcon, titleKey: "title" },
	routes: [
		{ path: "/firewall", titleKey: "title", page: () => import("./FirewallPage") },
		{ path: "/firewall/address-groups/$id", titleKey: "group.detail", page: () => import("./AddressGroupPage") },
		{ path: "/firewall/service-groups/$id", titleKey: "serviceGroup.detail", page: () => import("./ServiceGroupPage") },
	],
	palette,
	dashboard: () => import("./dashboard"),
};
