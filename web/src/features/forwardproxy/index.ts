import { ShareSquareIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "forwardproxy",
	nav: { section: "security", order: 40, icon: ShareSquareIcon, titleKey: "title" },
	routes: [{ path: "/forward-proxy", titleKey: "title", page: () => import("./ForwardProxyPage") }],
	service: { name: "forward-proxy", kind: "forward-proxy" },
	palette,
};
