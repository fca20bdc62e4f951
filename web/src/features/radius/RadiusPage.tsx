import "./radius.css";
import { later, OffNotice, Page, ProblemNotice, UrlTabs, Waiting } from "@ui";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { ClientsTab } from "./ClientsTab";
import { SignInsTab } from "./SignInsTab";
import { StatusCard } from "./StatusCard";
import { UsersTab } from "./UsersTab";

// Most visits look; forms are heavy.
const SettingsTab = later("radius settings", () => import("./SettingsTab"));

/** RadiusPage is the RADIUS server: who may ask, who may sign in, and what came of it. */
export default function RadiusPage() {
	const { t } = useTranslation("radius");
	const tabs = [
		{ id: "users", title: t("tab.users"), content: <UsersTab /> },
		{ id: "clients", title: t("tab.clients"), content: <ClientsTab /> },
		{ id: "sign-ins", title: t("tab.sign-ins"), content: <SignInsTab /> },
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
			<ProblemNotice service="radius" component="radius" />
			<OffNotice kind="radius" id="radius" settings="/radius?tab=settings" />
			<StatusCard />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
