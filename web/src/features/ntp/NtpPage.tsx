import "./ntp.css";
import { Page, UrlTabs } from "@ui";
import { useTranslation } from "react-i18next";
import { SettingsTab } from "./SettingsTab";
import { SourcesTab } from "./SourcesTab";

/** NtpPage is the clock: where its time comes from, and whom it is told. */
export default function NtpPage() {
	const { t } = useTranslation("ntp");
	const tabs = [
		{ id: "sources", title: t("tab.sources"), content: <SourcesTab /> },
		{ id: "settings", title: t("tab.settings"), content: <SettingsTab /> },
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
