import { RouteIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "proxy",
	nav: { section: "publish", order: 10, icon: RouteIcon, titleKey: "title" },
	routes: [
		{ path: "/proxy", titleKey: "title", page: () => import("./ProxyPage") },
		{ path: "/proxy/publish", titleKey: "publish.title", page: () => import("./PublishPage"), adminOnly: true },
		{ path: "/proxy/sites/$id", titleKey: "site.detail", page: () => import("./SitePage") },
		{ path: "/proxy/pools/$id", titleKey: "pool.detail", page: () => import("./PoolPage") },
	],
	palette,
	dashboard: () => import("./dashboard"),
};
