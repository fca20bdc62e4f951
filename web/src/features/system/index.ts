import { ServerIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "system",
	nav: { section: "system", order: 10, icon: ServerIcon, titleKey: "title" },
	routes: [{ path: "/system", titleKey: "title", page: () => import("./SystemPage") }],
	palette,
};
