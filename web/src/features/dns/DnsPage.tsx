import "./dns.css";
import { Page, UrlTabs } from "@ui";
import { useTranslation } from "react-i18next";
import { RecordsTab } from "./RecordsTab";
import { SettingsTab } from "./SettingsTab";
import { StatusTab } from "./StatusTab";
import { ZonesTab } from "./ZonesTab";

/** DnsPage is the resolver: its own names, how it works, and what it did. */
export default function DnsPage() {
	const { t } = useTranslation("dns");
	const tabs = [
		{ id: "records", title: t("tab.records"), content: <RecordsTab /> },
		{ id: "zones", title: t("tab.zones"), content: <ZonesTab /> },
		{ id: "settings", title: t("tab.settings"), content: <SettingsTab /> },
		{ id: "status", title: t("tab.status"), content: <StatusTab /> },
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
