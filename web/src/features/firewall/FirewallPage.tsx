import "./firewall.css";
import { useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { RouteIcon } from "@patternfly/react-icons";
import { later, Page, ProblemNotice, UrlTabs, useUrlState, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { Explained } from "./Explained";

// Each is a page of its own in weight; whoever looks at one has not to wait for the others.
const tabs = {
	rules: later("firewall rules", () => import("./RulesTab")),
	nat: later("firewall translation", () => import("./NatTab")),
	matrix: later("firewall matrix", () => import("./MatrixTab")),
	assertions: later("firewall assertions", () => import("./AssertionsTab")),
	settings: later("firewall settings", () => import("./SettingsTab")),
};

/** FirewallPage is the packet filter: who may reach what, what is translated, and why. */
export default function FirewallPage() {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const [, set] = useUrlState();
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
			<Explained />
		</Page>
	);
}
