import { ToolsIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "diag",
	nav: { section: "monitor", order: 40, icon: ToolsIcon, titleKey: "title" },
	routes: [
		{ path: "/diagnostics", titleKey: "title", page: () => import("./DiagPage"), adminOnly: true },
		{ path: "/diagnostics/capture", titleKey: "capture.title", page: () => import("./CapturePage"), adminOnly: true },
	],
	palette: ({ t, admin }) =>
		["ping", "mtu", "traceroute", "dig", "curl", "tcp", "path", "capture"]
			.filter(() => admin)
			.map((tool) => ({
				id: tool,
				title: t(`${tool}.title`),
				hint: t("title"),
				to: tool === "capture" ? "/diagnostics/capture" : `/diagnostics?tab=${tool === "mtu" ? "ping&tool=mtu" : tool}`,
			})),
};
