import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "reference",
	menu: { order: 20, titleKey: "title" },
	routes: [{ path: "/reference", titleKey: "title", page: () => import("./ReferencePage") }],
};
