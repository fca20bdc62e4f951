import { CertificateIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";
import { palette } from "./palette";

export const feature: Feature = {
	id: "cert",
	nav: { section: "publish", order: 20, icon: CertificateIcon, titleKey: "title" },
	routes: [
		{ path: "/certificates", titleKey: "title", page: () => import("./CertificatesPage") },
		{ path: "/certificates/$id", titleKey: "detail", page: () => import("./CertificatePage") },
	],
	palette,
	dashboard: () => import("./dashboard"),
};
