import "./network.css";
import { Page, ProblemNotice, UrlTabs } from "@ui";
import { useTranslation } from "@ui/translation";
import { KernelTab } from "./KernelTab";
import { StaticTab } from "./StaticTab";

/** RoutesPage is where packets go: as it is configured, and as the kernel has it. */
export default function RoutesPage() {
	const { t } = useTranslation("network");
	const tabs = [
		{ id: "static", title: t("tab.static"), content: <StaticTab /> },
		{ id: "kernel", title: t("tab.kernel"), content: <KernelTab /> },
	];
	return (
		<Page title={t("routes.title")} description={t("routes.lead")}>
			<ProblemNotice service="network" component="network" />
			<UrlTabs label={t("routes.title")} tabs={tabs} />
		</Page>
	);
}
