import { UrlTabs } from "@ui";
import { useTranslation } from "react-i18next";
import { AddressesTab } from "./AddressesTab";
import { AddressGroupsTab, ServiceGroupsTab } from "./GroupsTab";
import { ServicesTab } from "./ServicesTab";

/** ObjectsTab is what rules speak of: addresses and services, and groups of them. */
export default function ObjectsTab() {
	const { t } = useTranslation("firewall");
	const tabs = [
		{ id: "addresses", title: t("address.title"), content: <AddressesTab /> },
		{ id: "groups", title: t("group.title"), content: <AddressGroupsTab /> },
		{ id: "services", title: t("service.title"), content: <ServicesTab /> },
		{ id: "service-groups", title: t("serviceGroup.title"), content: <ServiceGroupsTab /> },
	];
	return <UrlTabs label={t("tab.objects")} tabs={tabs} param="of" />;
}
