import { GlobeIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "dns",
	nav: { section: "network", order: 30, icon: GlobeIcon, titleKey: "title" },
	routes: [{ path: "/dns", titleKey: "title", page: () => import("./DnsPage") }],
	service: { name: "dns", kind: "resolver" },
	palette,
};
