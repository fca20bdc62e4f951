import { type Uplink, useStates } from "@api";
import { GlobeRouteIcon } from "@patternfly/react-icons";
import { type Column, ObjectState, ResourceSection, RowLink, storedInput, Time, useSwitchBulk } from "@ui";
import { useTranslation } from "@ui/translation";
import { useStatus } from "./requests";
import { uplinks } from "./resource";
import { liveOf } from "./state";

/** UplinksTab is the uplinks, beside what the monitor found. */
export function UplinksTab() {
	const { t } = useTranslation("uplink");
	const live = useStatus();
	const stateOf = useStates("uplink");
	const bulk = useSwitchBulk<"active", Uplink>("active", (uplink) => storedInput(uplink, "number"));
	const columns: Column<Uplink>[] = [
		{
			key: "name",
			title: t("uplink.field.name"),
			sortable: true,
			width: 15,
			cell: (one) => <RowLink to={`/uplinks/${one.id}`}>{one.name}</RowLink>,
		},
		{ key: "interface", title: t("uplink.field.interface"), sortable: true, width: 15 },
		{
			key: "live.state",
			title: t("column.state"),
			width: 15,
			cell: (one) => <ObjectState state={stateOf(one.id)} normal="up" />,
		},
		{
			key: "live.use",
			title: t("column.use"),
			width: 10,
			cell: (one) => {
				const now = liveOf(one, live);
				return now || !one.active ? t(now?.in_use ? "use.yes" : "use.no") : "–";
			},
		},
		{
			key: "live.quality",
			title: t("column.quality"),
			width: 15,
			cell: (one) => {
				const { loss, rtt_ms: rtt } = liveOf(one, live) ?? {};
				if (loss === null || loss === undefined) return "–";
				return rtt ? `${t("loss", { loss })}, ${t("rtt", { rtt: rtt.toFixed(1) })}` : t("loss", { loss });
			},
		},
		{
			key: "live.since",
			title: t("column.since"),
			width: 10,
			cell: (one) => {
				const at = liveOf(one, live)?.since;
				return at ? <Time value={at} /> : "–";
			},
		},
		{
			key: "gateway",
			title: t("uplink.field.gateway"),
			cell: (one) => <code className="gw-mono">{liveOf(one, live)?.gateway || one.gateway || "–"}</code>,
		},
	];
	return (
		<ResourceSection
			resource={uplinks}
			ns="uplink/uplink"
			icon={GlobeRouteIcon}
			columns={columns}
			bulk={bulk}
			defaultSort="name"
			form={() => import("./uplinkForm")}
		/>
	);
}
