import { type AlertChannel, type ProblemState, useStates } from "@api";
import { BellIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, Time, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { channelInput, type Flat } from "./channel";
import { channels } from "./resource";

/** ChannelsTab is where alerts are sent to. */
export function ChannelsTab() {
	const { t } = useTranslation("alert");
	const states = useStates("alert_channel");
	const bulk = useSwitchBulk<"active", AlertChannel & Flat>("active", channelInput);
	const columns: Column<AlertChannel & Flat>[] = [
		{ key: "name", title: t("channel.field.name"), sortable: true, width: 25 },
		{
			key: "kind",
			title: t("channel.field.kind"),
			sortable: true,
			width: 15,
			cell: ({ kind }) => t(`channel.option.kind.${kind}`),
		},
		{
			key: "min_severity",
			title: t("channel.field.min_severity"),
			width: 20,
			cell: ({ min_severity: least }) => t(`severity.${least}`),
		},
		{ key: "active", title: t("event.state"), width: 20, cell: ({ id }) => <State state={states(id)} /> },
		{
			key: "live.last",
			title: t("channel.last"),
			cell: ({ last_ok_at: at }) => (at ? <Time value={at} /> : "–"),
		},
	];
	return (
		<ResourceSection
			resource={channels}
			ns="alert/channel"
			icon={BellIcon}
			bulk={bulk}
			columns={columns}
			defaultSort="name"
			form={() => import("./channelForm")}
		/>
	);
}

/** State says that a channel fails. That it is active is a setting: it says nothing of whether it works, so it is not green. */
function State({ state }: { state: ProblemState | undefined }) {
	const { t } = useTranslation("alert");
	return state ? <ObjectState state={state} normal="up" why /> : t("channel.field.active");
}
