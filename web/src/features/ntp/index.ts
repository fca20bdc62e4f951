import { ClockIcon } from "@patternfly/react-icons";
import type { Feature } from "@ui/feature";

export const feature: Feature = {
	id: "ntp",
	nav: { section: "network", order: 40, icon: ClockIcon, titleKey: "title" },
	routes: [{ path: "/ntp", titleKey: "title", page: () => import("./NtpPage") }],
	service: { name: "ntp", kind: "clock" },
};
