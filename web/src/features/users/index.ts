import { UsersIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "users",
	nav: { section: "access", order: 10, icon: UsersIcon, titleKey: "title" },
	routes: [{ path: "/users", titleKey: "title", page: () => import("./UsersPage") }],
	palette,
};
