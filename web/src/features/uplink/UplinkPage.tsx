import { Page, ProblemNotice, UrlTabs } from "@ui";
import { useTranslation } from "@ui/translation";
import { GroupsTab } from "./GroupsTab";
import { MembersTab } from "./MembersTab";
import { UplinksTab } from "./UplinksTab";

/** UplinkPage is the ways out of this node, and how they are doing. */
export default function UplinkPage() {
	const { t } = useTranslation("uplink");
	const tabs = [
		{ id: "uplinks", title: t("tab.uplinks"), content: <UplinksTab /> },
		{ id: "groups", title: t("tab.groups"), content: <GroupsTab /> },
		{ id: "members", title: t("tab.members"), content: <MembersTab /> },
	];
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="uplink" component="uplink" />
			<UrlTabs label={t("title")} tabs={tabs} />
		</Page>
	);
}
