import type { ProblemState, Uplink, UplinkStatus, UplinkTransition } from "@api";
import { Figures, LastChanges, Link, ObjectState, PropertyList, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { useGroups, useMembershipsOf } from "./requests";

interface Props {
	uplink: Uplink;
	/** What the monitor found; undefined while nobody knows. */
	now: UplinkStatus | undefined;
}

/** OverviewTab is how an uplink does right now, how it did before, and the groups that use it. */
export function OverviewTab({ uplink, now }: Props) {
	const { t } = useTranslation("uplink");
	const { loss, rtt_ms: rtt } = now ?? {};
	const figure = (value: number | null | undefined, text: (value: number) => string) =>
		value === null || value === undefined ? "–" : text(value);
	return (
		<div className="gw-object-parts">
			<Figures
				label={t("tab.overview")}
				items={[
					{ title: t("overview.loss"), value: figure(loss, (value) => t("loss", { loss: value })) },
					{ title: t("overview.rtt"), value: figure(rtt, (value) => t("rtt", { rtt: value.toFixed(1) })) },
				]}
			/>
			<section className="gw-panel" aria-label={t("uplink.detail")}>
				<Facts uplink={uplink} now={now} />
			</section>
			<History of={now?.history ?? []} />
			<LastChanges table="uplink_uplinks" name={uplink.name} />
		</div>
	);
}

function Facts({ uplink, now }: Props) {
	const { t } = useTranslation("uplink");
	const when = (at: string | null | undefined) => (at ? <Time value={at} /> : undefined);
	const mono = (text: string | undefined) => (text ? <code className="gw-mono">{text}</code> : undefined);
	return (
		<PropertyList
			items={[
				[t("column.since"), when(now?.since)],
				[t("overview.back"), when(now?.back_at)],
				[t("uplink.field.gateway"), mono(now?.gateway || uplink.gateway)],
				[t("uplink.field.monitor_address"), mono(now?.target)],
				[t("uplink.field.family"), t(`uplink.option.family.${uplink.family}`)],
				[t("tab.groups"), <Groups key="groups" of={uplink} />],
				[t("uplink.field.description"), uplink.description || undefined],
			]}
		/>
	);
}

/** Groups are where the uplink is used. */
function Groups({ of }: { of: Uplink }) {
	const { t } = useTranslation("uplink");
	const groups = useGroups();
	const { data: members = [] } = useMembershipsOf(of.id);
	if (members.length === 0) return "–";
	return members.map(({ id, group_id: group, tier }, i) => (
		<span key={id}>
			{i > 0 && ", "}
			<Link to="/uplinks" search={{ tab: "members", filter: `group_id:${group}` }}>
				{groups.find((one) => one.id === group)?.name ?? "–"}
			</Link>{" "}
			({t("member.field.tier")} {tier})
		</span>
	));
}

/** kept is how many of the last changes of the state are shown. */
const kept = 10;

/** past is a state that was. It is never green: what worked then may not work now. */
const past = (state: UplinkTransition["state"]): ProblemState => ({
	state: state === "unmonitored" ? "unchecked" : state,
	...{ code: "", message: "", params: {} },
});

function History({ of }: { of: UplinkTransition[] }) {
	const { t } = useTranslation("uplink");
	if (of.length === 0) return null;
	return (
		<section className="gw-panel" aria-label={t("overview.history")}>
			<h2>{t("overview.history")}</h2>
			<ul className="gw-uplink-history">
				{of
					.slice(-kept)
					.toReversed()
					.map(({ at, state }) => (
						<li key={at}>
							<Time value={at} />
							<ObjectState state={past(state)} normal="up" />
						</li>
					))}
			</ul>
		</section>
	);
}
