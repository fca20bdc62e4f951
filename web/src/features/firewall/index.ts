import { CubesIcon, ListIcon, PlugIcon, ShieldAltIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { movedGroup, movedInterfaces, movedTab } from "./moved";
import { palette } from "./palette";

const addressGroup = () => import("./AddressGroupPage");
const serviceGroup = () => import("./ServiceGroupPage");

export const feature: Feature = {
	id: "firewall",
	nav: [
		{ section: "security", order: 10, icon: ShieldAltIcon, titleKey: "title", to: "/firewall" },
		{ section: "security", order: 20, icon: CubesIcon, titleKey: "objects.title", to: "/objects" },
		{ section: "monitor", order: 20, icon: ListIcon, titleKey: "log.title", to: "/live-log" },
		{ section: "monitor", order: 30, icon: PlugIcon, titleKey: "connection.title", to: "/connections" },
	],
	routes: [
		{ path: "/firewall", titleKey: "title", page: () => import("./FirewallPage"), moved: movedTab },
		{ path: "/objects", titleKey: "objects.title", page: () => import("./ObjectsPage"), moved: movedInterfaces },
		{ path: "/objects/address-groups/$id", titleKey: "group.detail", page: addressGroup },
		{ path: "/objects/service-groups/$id", titleKey: "serviceGroup.detail", page: serviceGroup },
		{
			path: "/firewall/address-groups/$id",
			titleKey: "group.detail",
			page: addressGroup,
			moved: movedGroup("address"),
		},
		{
			path: "/firewall/service-groups/$id",
			titleKey: "serviceGroup.detail",
			page: serviceGroup,
			moved: movedGroup("service"),
		},
		{ path: "/live-log", titleKey: "log.title", page: () => import("./LogPage") },
		{ path: "/connections", titleKey: "connection.title", page: () => import("./ConnectionsPage") },
	],
	palette,
	dashboard: () => import("./dashboard"),
};
