import "./firewall.css";
import { Page, ProblemNotice, UrlTabs } from "@ui";
import { useTranslation } from "@ui/translation";
import { AddressesTab } from "./AddressesTab";
import { AddressGroupsTab, ServiceGroupsTab } from "./GroupsTab";
import { ServicesTab } from "./ServicesTab";
import { ZonesTab } from "./ZonesTab";

/** ObjectsPage is what rules speak of: zones, addresses and services, and groups of them. */
export default function ObjectsPage() {
	const { t } = useTranslation("firewall");
	const tabs = [
		{ id: "zones", title: t("zone.title"), content: <ZonesTab /> },
		{ id: "addresses", title: t("address.title"), content: <AddressesTab /> },
		{ id: "groups", title: t("group.title"), content: <AddressGroupsTab /> },
		{ id: "services", title: t("service.title"), content: <ServicesTab /> },
		{ id: "service-groups", title: t("serviceGroup.title"), content: <ServiceGroupsTab /> },
	];
	return (
		<Page title={t("objects.title")} description={t("objects.lead")}>
			<ProblemNotice service="packet-filter" component="firewall" />
			<UrlTabs label={t("objects.title")} tabs={tabs} />
		</Page>
	);
}
