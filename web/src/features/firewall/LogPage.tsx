import "./firewall.css";
import "./log.css";
import { type PacketlogEvent, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { ListIcon, PauseIcon, PlayIcon } from "@patternfly/react-icons";
import { Csv, EmptyState, formatNumber, Notice, Page, ProblemNotice, useUrlState } from "@ui";
import { FilterBar } from "@ui/FilterBar";
import { useTranslation } from "@ui/translation";
import { useTypedFilters } from "@ui/useTypedFilters";
import { useState } from "react";
import { EventList } from "./EventList";
import { Explained } from "./Explained";
import { filterKeys, hasPorts, pathOf } from "./log";
import { ruleSource } from "./sources";
import { useLog } from "./useLog";
import { useRuleFrom } from "./useRuleFrom";

const protocols = ["tcp", "udp", "icmp", "icmpv6"];
const actions = ["accept", "drop", "reject"];

/** LogPage is the packets that rules log and those that no rule took, as they come. */
export default function LogPage() {
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const [, set] = useUrlState();
	const filters = useTypedFilters(filterKeys);
	const [paused, setPaused] = useState(false);
	const [scrolled, setScrolled] = useState(false);
	const log = useLog(pathOf(filters.search), paused || scrolled);
	const make = useRuleFrom();
	const explain = ({ source, destination, proto, port, interface: link }: PacketlogEvent) => {
		const packet = { source, destination, protocol: proto, interface: link, ...(hasPorts(proto) && { port }) };
		set({ explain: JSON.stringify(packet) }, { push: true });
	};
	const menu = (event: PacketlogEvent) => [
		{ title: t("log.make"), onClick: () => make(event) },
		{ title: t("log.explain"), onClick: () => explain(event) },
	];
	const choices = {
		proto: protocols.map((name) => ({ value: name, label: name })),
		action: actions.map((name) => ({ value: name, label: t(`done.${name}`) })),
	};
	const state = paused ? "paused" : log.status;
	const waiting = log.waiting > 0 && t("log.waiting", { count: log.waiting, shown: formatNumber(log.waiting) });
	return (
		<Page title={t("log.title")} description={t("log.lead")}>
			<ProblemNotice service="packet-filter" component="firewall" />
			<FilterBar
				label={(key) => t(`filter.${key}`)}
				filters={filters}
				choices={choices}
				sources={{ rule_id: ruleSource }}
			/>
			<div className="gw-fw-logbar">
				<span role="status" className="gw-fw-live" data-state={state}>
					{t(`log.state.${state}`)}
				</span>
				<Button
					variant="secondary"
					size="sm"
					icon={paused ? <PlayIcon /> : <PauseIcon />}
					onClick={() => setPaused(!paused)}
				>
					{paused ? t("log.follow") : t("log.pause")}
				</Button>
				<span role="status">{waiting}</span>
				{log.list.length > 0 && <Csv name="live-log" rows={() => log.list} />}
			</div>
			{log.lost > 0 && (
				<div className="gw-fw-notice">
					<Notice kind="warning" title={t("log.lost", { count: log.lost, shown: formatNumber(log.lost) })} />
				</div>
			)}
			{log.list.length === 0 ? (
				<EmptyState title={t("log.empty")} icon={ListIcon}>
					{t(filters.filtered ? "log.emptyFiltered" : "log.emptyText")}
				</EmptyState>
			) : (
				<EventList events={log.list} menu={admin ? menu : undefined} onScrolled={setScrolled} />
			)}
			<Explained />
		</Page>
	);
}
