import "./rules.css";
import { type FirewallNatRule, orderFirewallNatRules } from "@api";
import { ArrowRightIcon, RouteIcon } from "@patternfly/react-icons";
import { type BulkAction, ResourceSection, type RowAction, StatusLabel, sentence, serverText } from "@ui";
import { OrderedList } from "@ui/ordered/OrderedList";
import { useOrderedBulk } from "@ui/ordered/useOrderedBulk";
import { TableToolbar } from "@ui/TableToolbar";
import { useTranslation } from "@ui/translation";
import { useTableState } from "@ui/useTableState";
import type { ReactNode } from "react";
import { Hits } from "./Hits";
import { Labels } from "./Labels";
import { matchOf, storedNat, targetOf } from "./nat";
import { type Counters, useCounters } from "./requests";
import { natRules } from "./rules";
import { useLabelBulk } from "./useLabelBulk";

/** NatTab is which addresses are translated. The first rule that fits does it, so the order matters. */
export default function NatTab() {
	const bulk = useOrderedBulk<FirewallNatRule>({ source: natRules, order: orderFirewallNatRules, inputOf: storedNat });
	const label = useLabelBulk(natRules, storedNat);
	return (
		<ResourceSection
			resource={natRules}
			ns="firewall/nat"
			icon={RouteIcon}
			columns={[]}
			bulk={[...bulk, label]}
			form={() => import("./natForm")}
			list={(given) => <NatList {...given} />}
		/>
	);
}

const useMore = () => useCounters();

const content = (rule: FirewallNatRule, counters: Counters | undefined) => <NatRow rule={rule} counters={counters} />;

interface Props {
	actions: ((rule: FirewallNatRule) => RowAction[]) | undefined;
	bulk: BulkAction<FirewallNatRule>[] | undefined;
	create: ReactNode;
	empty: ReactNode;
}

function NatList({ actions, bulk, create, empty }: Props) {
	const { t } = useTranslation("firewall");
	const state = useTableState(["filter"]);
	const options = ["dnat", "snat", "masquerade"].map((kind) => ({
		value: `kind:${kind}`,
		label: t(`nat.kind.${kind}`),
	}));
	const columns = ["name", "way", "protocol", "effect", "hits"].map((one) => t(`nat.column.${one}`));
	return (
		<OrderedList
			source={natRules}
			query={state.query}
			label={t("tab.nat")}
			order={orderFirewallNatRules}
			columns={columns}
			bulk={bulk}
			useMore={useMore}
			content={content}
			actions={actions}
			className="gw-fw-rules"
			head={(total, _, csv) =>
				Boolean(total || state.filtered) && (
					<TableToolbar
						state={state}
						filters={[{ key: "filter", label: t("nat.all"), options }]}
						searchLabel={t("nat.search")}
						total={total}
					>
						{csv}
						{create}
					</TableToolbar>
				)
			}
			none={empty}
		/>
	);
}

function NatRow({ rule, counters }: { rule: FirewallNatRule; counters: Counters | undefined }) {
	const { t } = useTranslation("firewall");
	const zone = rule.kind === "dnat" ? rule.in_zone : rule.out_zone;
	const words = rule.kind === "dnat" ? "nat.from" : "nat.to";
	const from = matchOf(rule) || t("rule.everything");
	const to = targetOf(rule) || t("nat.ownAddress");
	const warning = sentence(serverText({ message: rule.warning, text: rule.warning }));
	return (
		<div className="gw-ordered-row" data-state={rule.enabled ? "on" : "off"}>
			<div className="gw-ordered-name">
				<span className="gw-ordered-title" title={rule.note || rule.name}>
					{rule.name}
				</span>
				<span className="gw-ordered-marks">
					{!rule.enabled && <StatusLabel status="neutral">{t("rule.state.off")}</StatusLabel>}
					{warning && (
						<span title={warning}>
							<StatusLabel status="warning">{warning}</StatusLabel>
						</span>
					)}
					<Labels of={rule} />
				</span>
			</div>
			<div className="gw-fw-way">
				<span className="gw-fw-side">
					<b>{t(words, { zone: zone === "any" ? t("zone.anyShort") : zone })}</b>
					<span title={from}>{from}</span>
				</span>
				<ArrowRightIcon aria-label={t("nat.becomes")} />
				<span className="gw-fw-side">
					<b>{t(`nat.short.${rule.kind}`)}</b>
					<span title={to}>{to}</span>
				</span>
			</div>
			<span className="gw-fw-service">{rule.protocol === "any" ? t("rule.everything") : rule.protocol}</span>
			<span className="gw-fw-action">{rule.kind === "dnat" && t(rule.pass ? "nat.passes" : "nat.needsRule")}</span>
			<Hits counter={counters?.of.get(rule.id)} most={counters?.most ?? 0} known={Boolean(counters)} />
		</div>
	);
}
