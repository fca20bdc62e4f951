import "./firewall.css";
import { useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { RouteIcon } from "@patternfly/react-icons";
import { later, Page, ProblemNotice, UrlTabs, useUrlState, Waiting } from "@ui";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";

// Each is a page of its own in weight; whoever looks at one has not to wait for the others.
const tabs = {
	rules: later("firewall rules", () => import("./RulesTab")),
	matrix: later("firewall matrix", () => import("./MatrixTab")),
	nat: later("firewall translation", () => import("./NatTab")),
	objects: later("firewall objects", () => import("./ObjectsTab")),
	zones: later("firewall zones", () => import("./ZonesTab")),
	log: later("firewall log", () => import("./LogTab")),
	connections: later("firewall connections", () => import("./ConnectionsTab")),
	assertions: later("firewall assertions", () => import("./AssertionsTab")),
	settings: later("firewall settings", () => import("./SettingsTab")),
};

const ExplainDialog = later("explain a packet", () => import("./ExplainDialog"));

/** FirewallPage is the packet filter: who may reach what, what is translated, what passes now, and why. */
export default function FirewallPage() {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const [search, set] = useUrlState();
	const shown = Object.entries(tabs).map(([id, Tab]) => ({
		id,
		title: t(`tab.${id}`),
		content: (
			<Suspense fallback={<Waiting height="24rem" />}>
				<Tab />
			</Suspense>
		),
	}));
	const explain = admin && (
		<Button variant="secondary" icon={<RouteIcon />} onClick={() => set({ explain: "yes" }, { push: true })}>
			{t("explain.open")}
		</Button>
	);
	return (
		<Page title={t("title")} description={t("lead")} actions={explain}>
			<ProblemNotice service="packet-filter" component="firewall" />
			<UrlTabs label={t("title")} tabs={shown} />
			<Suspense fallback={null}>
				{admin && search.explain && (
					<ExplainDialog packet={search.explain} onClose={() => set({ explain: undefined })} />
				)}
			</Suspense>
		</Page>
	);
}
