import "./forwardproxy.css";
import { later, OffNotice, Page, ProblemNotice, UrlTabs, Waiting } from "@ui";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { AclsTab } from "./AclsTab";
import { page } from "./acl";
import { StatsTab } from "./StatsTab";
import { StatusCard } from "./StatusCard";

// Most visits look; forms are heavy.
const SettingsTab = later("forward proxy settings", () => import("./SettingsTab"));

/** ForwardProxyPage is the proxy for clients: who may use it, what is denied, and what it did. */
export default function ForwardProxyPage() {
	const { t } = useTranslation("forwardproxy");
	const tabs = [
		{ id: "acls", title: t("tab.acls"), content: <AclsTab /> },
		{ id: "stats", title: t("tab.stats"), content: <StatsTab /> },
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting height="24rem" />}>
					<SettingsTab />
				</Suspense>
			),
		},
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="forward-proxy" component="forwardproxy" />
			<OffNotice kind="forward-proxy" id="forward-proxy" settings={`${page}?tab=settings`} />
			<StatusCard />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
