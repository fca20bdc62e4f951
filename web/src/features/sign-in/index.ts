import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "sign-in",
	routes: [
		{ path: "/sign-in", titleKey: "title", page: () => import("./SignInPage"), bare: true },
		{ path: "/reset-password", titleKey: "reset.title", page: () => import("./ResetPage"), bare: true },
	],
	signIn: () => import("./SignInForm"),
};
