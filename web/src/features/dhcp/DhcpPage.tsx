import "./dhcp.css";
import { later, OffNotice, Page, ProblemNotice, UrlTabs, Waiting } from "@ui";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { LeasesTab } from "./LeasesTab";
import { ReservationsTab } from "./ReservationsTab";
import { StatusCard } from "./StatusCard";
import { SubnetsTab } from "./SubnetsTab";

// Most visits look; forms are heavy.
const SettingsTab = later("dhcp settings", () => import("./SettingsTab"));

/** DhcpPage is who is given which address. */
export default function DhcpPage() {
	const { t } = useTranslation("dhcp");
	const tabs = [
		{ id: "leases", title: t("tab.leases"), content: <LeasesTab /> },
		{ id: "subnets", title: t("tab.subnets"), content: <SubnetsTab /> },
		{ id: "reservations", title: t("tab.reservations"), content: <ReservationsTab /> },
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
			<ProblemNotice service="dhcp" component="dhcp" />
			<OffNotice kind="dhcp-server" id="dhcp" settings="/dhcp?tab=settings" />
			<StatusCard />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
