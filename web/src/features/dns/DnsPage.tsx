import "./dns.css";
import { later, OffNotice, Page, ProblemNotice, UrlTabs, Waiting } from "@ui";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { RecordsTab } from "./RecordsTab";
import { StatusTab } from "./StatusTab";
import { ZonesTab } from "./ZonesTab";

// Most visits look; forms are heavy.
const SettingsTab = later("dns settings", () => import("./SettingsTab"));

/** DnsPage is the resolver: its own names, how it works, and what it did. */
export default function DnsPage() {
	const { t } = useTranslation("dns");
	const tabs = [
		{ id: "records", title: t("tab.records"), content: <RecordsTab /> },
		{ id: "zones", title: t("tab.zones"), content: <ZonesTab /> },
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting height="24rem" />}>
					<SettingsTab />
				</Suspense>
			),
		},
		{ id: "status", title: t("tab.status"), content: <StatusTab /> },
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="dns" component="dns" />
			<OffNotice kind="resolver" id="dns" settings="/dns?tab=settings" />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
