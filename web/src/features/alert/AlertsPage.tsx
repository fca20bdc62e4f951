import { useCan } from "@api";
import { BusyButton, Page, toast, UrlTabs, useErrorText } from "@ui";
import { useTranslation } from "@ui/translation";
import { ChannelsTab } from "./ChannelsTab";
import { EventsTab } from "./EventsTab";
import { useTest } from "./requests";

/** AlertsPage is what people were told, and where they are told. */
export default function AlertsPage() {
	const { t } = useTranslation("alert");
	const admin = useCan("admin");
	const events = { id: "events", title: t("tab.events"), content: <EventsTab /> };
	const channels = { id: "channels", title: t("tab.channels"), content: <ChannelsTab /> };
	return (
		<Page title={t("title")} description={t("lead")} actions={admin && <TestButton />}>
			<UrlTabs label={t("title")} tabs={admin ? [events, channels] : [events]} />
		</Page>
	);
}

function TestButton() {
	const { t } = useTranslation("alert");
	const text = useErrorText();
	const { mutate, isPending } = useTest();
	const test = () =>
		mutate(undefined, {
			onSuccess: ({ sent_to: to }) =>
				to.length > 0 ? toast.success(t("test.sent", { count: to.length })) : toast.info(t("test.nobody")),
			onError: (error) => toast.danger(text(error)),
		});
	return (
		<BusyButton variant="secondary" busy={isPending} onClick={test}>
			{t("test.button")}
		</BusyButton>
	);
}
