import "./proxy.css";
import { Page, ProblemNotice, UrlTabs } from "@ui";
import { useTranslation } from "@ui/translation";
import { PoolsTab } from "./PoolsTab";
import { ServicesTab } from "./ServicesTab";
import { SitesTab } from "./SitesTab";
import { TrafficTab } from "./TrafficTab";

/** ProxyPage is the reverse proxy: its sites, where they run, and what goes through it. */
export default function ProxyPage() {
	const { t } = useTranslation("proxy");
	const tabs = [
		{ id: "sites", title: t("tab.sites"), content: <SitesTab /> },
		{ id: "pools", title: t("tab.pools"), content: <PoolsTab /> },
		{ id: "services", title: t("tab.services"), content: <ServicesTab /> },
		{ id: "traffic", title: t("tab.traffic"), content: <TrafficTab /> },
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="reverse-proxy" component="proxy" />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
