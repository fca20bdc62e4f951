import "./logs.css";
import { later, Page, ProblemNotice, UrlTabs, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { EntriesTab } from "./EntriesTab";

// Most visits look; forms are heavy.
const SettingsTab = later("logs settings", () => import("./SettingsTab"));

/** LogsPage is what the services of this node wrote, how long that is kept, and where it is sent. */
export default function LogsPage() {
	const { t } = useTranslation("logs");
	const settings = (
		<Suspense fallback={<Waiting height="24rem" />}>
			<SettingsTab />
		</Suspense>
	);
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="log-shipper" component="logs" />
			<UrlTabs
				label={t("title")}
				tabs={[
					{ id: "entries", title: t("tab.entries"), content: <EntriesTab /> },
					{ id: "settings", title: t("tab.settings"), content: settings },
				]}
			/>
		</Page>
	);
}
