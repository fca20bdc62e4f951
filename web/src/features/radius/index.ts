import { KeyIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "radius",
	nav: { section: "access", order: 30, icon: KeyIcon, titleKey: "title" },
	routes: [{ path: "/radius", titleKey: "title", page: () => import("./RadiusPage") }],
	service: { name: "radius", kind: "radius" },
};
