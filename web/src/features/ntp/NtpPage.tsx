import "./ntp.css";
import { later, OffNotice, Page, ProblemNotice, UrlTabs, Waiting } from "@ui";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { SourcesTab } from "./SourcesTab";

// Most visits look; forms are heavy.
const SettingsTab = later("ntp settings", () => import("./SettingsTab"));

/** NtpPage is the clock: where its time comes from, and whom it is told. */
export default function NtpPage() {
	const { t } = useTranslation("ntp");
	const tabs = [
		{ id: "sources", title: t("tab.sources"), content: <SourcesTab /> },
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
			<ProblemNotice service="ntp" component="ntp" />
			<OffNotice kind="clock" id="ntp" settings="/ntp?tab=settings" />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
