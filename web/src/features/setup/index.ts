import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "setup",
	routes: [{ path: "/setup", titleKey: "title", page: () => import("./SetupPage"), bare: true }],
};
