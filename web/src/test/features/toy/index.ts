import { CubesIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

/** A feature for tests: everything that a folder can bring. */
export const feature: Feature = {
	id: "toy",
	nav: { section: "system", order: 1, icon: CubesIcon, titleKey: "title" },
	routes: [
		{ path: "/toys", titleKey: "title", page: () => import("./ToyPage") },
		{ path: "/toys/secret", titleKey: "secret", page: () => import("./ToyPage"), adminOnly: true },
	],
	palette: ({ t }) => [{ id: "make", title: t("make"), to: "/toys?do=create" }],
	useProblems: (t) => [{ id: "broken", severity: "warning", title: t("broken"), to: "/toys" }],
};
