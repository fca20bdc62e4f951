import { ToolsIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

/** places are those of what has no tab of its own. */
const places: Record<string, string> = {
	mtu: "/diagnostics?tab=ping&tool=mtu",
	capture: "/diagnostics/capture",
	support: "/diagnostics",
};

export const feature: Feature = {
	id: "diag",
	nav: { section: "monitor", order: 40, icon: ToolsIcon, titleKey: "title" },
	routes: [
		{ path: "/diagnostics", titleKey: "title", page: () => import("./DiagPage"), adminOnly: true },
		{ path: "/diagnostics/capture", titleKey: "capture.title", page: () => import("./CapturePage"), adminOnly: true },
	],
	palette: ({ t, admin }) =>
		["ping", "mtu", "traceroute", "dig", "curl", "tcp", "path", "capture", "support"]
			.filter(() => admin)
			.map((tool) => ({
				id: tool,
				title: t(`${tool}.title`),
				hint: t("title"),
				to: places[tool] ?? `/diagnostics?tab=${tool}`,
			})),
};
