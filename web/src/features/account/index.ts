import type { Feature } from "@ui/feature";
import { palette } from "./palette";
import { useProblems } from "./problems";

export const feature: Feature = {
	id: "account",
	menu: { order: 10, titleKey: "title" },
	routes: [{ path: "/account", titleKey: "title", page: () => import("./AccountPage") }],
	palette,
	useProblems,
	dashboard: () => import("./dashboard"),
};
