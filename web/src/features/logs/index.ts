import { FileAltIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "logs",
	nav: { section: "monitor", order: 10, icon: FileAltIcon, titleKey: "title" },
	routes: [{ path: "/logs", titleKey: "title", page: () => import("./LogsPage") }],
};
