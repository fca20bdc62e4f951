import { CodeIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "reference",
	nav: { section: "operations", order: 900, icon: CodeIcon, titleKey: "title" },
	routes: [{ path: "/reference", titleKey: "title", page: () => import("./ReferencePage") }],
};
