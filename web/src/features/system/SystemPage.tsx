import type { Problem } from "@api";
import { later, Page, ProblemsOf, UrlTabs, Waiting } from "@ui";
import { useTranslation } from "@ui/translation";
import { Suspense } from "react";
import { ComponentsTab } from "./ComponentsTab";
import { InterfacesTab } from "./InterfacesTab";
import { PackagesTab } from "./PackagesTab";
import { ReloadDialog } from "./ReloadDialog";
import { RestartDialog } from "./RestartDialog";
import { ServicesTab } from "./ServicesTab";
import "./system.css";

// Most visits look at the services; forms are heavy.
const SettingsTab = later("system settings", () => import("./SettingsTab"));

/** isOfNode: services, components and interfaces have rows of their own. */
const isOfNode = ({ subject: { kind } }: Problem) => kind === "node" || kind === "disk";

/** SystemPage is the machine: its services, packages, links and settings. */
export default function SystemPage() {
	const { t } = useTranslation("system");
	const tabs = [
		{ id: "services", title: t("tab.services"), content: <ServicesTab /> },
		{ id: "components", title: t("tab.components"), content: <ComponentsTab /> },
		{ id: "packages", title: t("tab.packages"), content: <PackagesTab /> },
		{ id: "interfaces", title: t("tab.interfaces"), content: <InterfacesTab /> },
		{
			id: "settings",
			title: t("tab.settings"),
			content: (
				<Suspense fallback={<Waiting />}>
					<SettingsTab />
				</Suspense>
			),
		},
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemsOf is={isOfNode} />
			<UrlTabs label={t("title")} tabs={tabs} />
			<RestartDialog />
			<ReloadDialog />
		</Page>
	);
}
