import { NetworkWiredIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "dhcp",
	nav: { section: "network", order: 35, icon: NetworkWiredIcon, titleKey: "title" },
	routes: [{ path: "/dhcp", titleKey: "title", page: () => import("./DhcpPage") }],
	service: { name: "dhcp", kind: "dhcp-server" },
};
