import type { FirewallFinding } from "@api";
import { ArrowRightIcon } from "@patternfly/react-icons";
import { StatusLabel, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { memo } from "react";
import { ActionLabel } from "./ActionLabel";
import { Hits } from "./Hits";
import { Labels } from "./Labels";
import type { Counters } from "./requests";
import { addressOf, stateOf } from "./rule";
import type { Rule } from "./rules";
import type { Names } from "./useNames";

interface Props {
	rule: Rule;
	counters: Counters | undefined;
	findings: Map<string, FirewallFinding> | undefined;
	names: Names;
}

/** RuleRow is a rule in a line: its name, from where to where, what, what happens, and how often. */
export const RuleRow = memo(function RuleRow({ rule, counters, findings, names }: Props) {
	const { t } = useTranslation("firewall");
	const service = rule.service_object_id ?? rule.service_group_id;
	const what = service ? (names.get(service) ?? "…") : t("rule.everything");
	const state = stateOf(rule, Date.now());
	return (
		<div className="gw-ordered-row" data-state={state}>
			<div className="gw-ordered-name">
				<span className="gw-ordered-title" title={rule.comment || rule.name}>
					{rule.name}
				</span>
				<Marks rule={rule} finding={findings?.get(rule.id)} names={names} />
			</div>
			<div className="gw-fw-way">
				<Side rule={rule} side="src" names={names} />
				<ArrowRightIcon aria-label={t("rule.to")} />
				<Side rule={rule} side="dst" names={names} />
			</div>
			<span className="gw-fw-service" title={what}>
				{what}
			</span>
			<ActionLabel action={rule.action} logged={rule.log} />
			<Hits counter={counters?.of.get(rule.id)} most={counters?.most ?? 0} known={Boolean(counters)} />
		</div>
	);
});

function Side({ rule, side, names }: { rule: Rule; side: "src" | "dst"; names: Names }) {
	const { t } = useTranslation("firewall");
	const { id, text } = addressOf(rule, side);
	const zone = rule[`${side}_zone`];
	const address = id ? (names.get(id) ?? "…") : text;
	return (
		<span className="gw-fw-side">
			<b>{zone === "any" ? t("zone.anyShort") : zone}</b>
			{address && <span title={address}>{address}</span>}
		</span>
	);
}

interface MarksProps {
	rule: Rule;
	finding: FirewallFinding | undefined;
	names: Names;
}

/** Marks say what is special about a rule, in words and with a colour. */
function Marks({ rule, finding, names }: MarksProps) {
	const { t } = useTranslation("firewall");
	const state = stateOf(rule, Date.now());
	const other = finding?.by_rule_id ? (names.get(finding.by_rule_id) ?? "…") : "";
	return (
		<span className="gw-ordered-marks">
			{state !== "on" && <StatusLabel status="neutral">{t(`rule.state.${state}`)}</StatusLabel>}
			{state === "on" && rule.expires_at && (
				<StatusLabel status="info">
					{t("rule.until")} <Time value={rule.expires_at} />
				</StatusLabel>
			)}
			{/* What was never hit is seen at its bar. */}
			{finding && finding.kind !== "never_hit" && state === "on" && (
				<span title={t(`finding.why.${finding.kind}`, { other })}>
					<StatusLabel status="warning">{t(`finding.${finding.kind}`, { other })}</StatusLabel>
				</span>
			)}
			{rule.uplink_group_id && (
				<StatusLabel status="info">{t("rule.uplinks", { name: names.get(rule.uplink_group_id) ?? "…" })}</StatusLabel>
			)}
			<Labels of={rule} />
		</span>
	);
}
