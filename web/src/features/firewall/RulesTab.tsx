import "./rules.css";
import { orderFirewallRules, useSave } from "@api";
import { Button } from "@patternfly/react-core";
import { SearchIcon, ShieldAltIcon } from "@patternfly/react-icons";
import {
	type BulkAction,
	EmptyState,
	later,
	ResourceSection,
	type RowAction,
	type RowDialog,
	tell,
	toast,
	useErrorText,
	useUrlState,
} from "@ui";
import { OrderedList } from "@ui/ordered/OrderedList";
import { useOrderedBulk } from "@ui/ordered/useOrderedBulk";
import { TableToolbar } from "@ui/TableToolbar";
import { useTranslation } from "@ui/translation";
import { useTableState } from "@ui/useTableState";
import { type ReactNode, useMemo } from "react";
import { opensEverything } from "./everywhere";
import { RuleRow } from "./RuleRow";
import { useCounters, useFindings, useSourceZones, useTargetZones } from "./requests";
import { idsOf, inputOf, linkTo, stored } from "./rule";
import { type Rule, rules } from "./rules";
import { useLabelBulk } from "./useLabelBulk";
import { useNames } from "./useNames";

const EnableDialog = later("enable a rule", () => import("./EnableDialog"));

/** enabling is asked for by the menu's own entry, and not for every rule. */
const enabling: RowDialog<Rule> = {
	id: "enable",
	title: "",
	fits: () => false,
	dialog: (rule, close) => <EnableDialog rule={rule} onClose={close} />,
};

/** RulesTab is who may reach what: rules in the order in which they are asked, all of them or those between two zones. */
export default function RulesTab() {
	const { t } = useTranslation("firewall");
	const warns = async (list: Rule[]) => {
		const open = await Promise.all(list.map(opensEverything));
		const names = list.filter((_, i) => open[i]).map(({ name }) => name);
		return names.length > 0 ? t("rule.enableMany", { names: names.join(", ") }) : undefined;
	};
	const bulk = useOrderedBulk<Rule>({ source: rules, order: orderFirewallRules, inputOf: stored, warns });
	const label = useLabelBulk(rules, stored);
	return (
		<ResourceSection
			resource={rules}
			ns="firewall/rule"
			icon={ShieldAltIcon}
			columns={[]}
			bulk={[...bulk, label]}
			reload
			form={() => import("./ruleForm")}
			dialogs={[enabling]}
			list={(given) => <RuleList {...given} />}
		/>
	);
}

/** useMore is what else is shown of the rules on screen. */
function useMore(shown: Rule[]) {
	const counters = useCounters();
	const findings = useFindings();
	const others = shown.map((rule) => findings?.get(rule.id)?.by_rule_id);
	const names = useNames(idsOf(shown, others));
	return useMemo(() => ({ counters, findings, names }), [counters, findings, names]);
}

type More = ReturnType<typeof useMore>;

const content = (rule: Rule, more: More) => <RuleRow rule={rule} {...more} />;

interface Props {
	actions: ((rule: Rule) => RowAction[]) | undefined;
	bulk: BulkAction<Rule>[] | undefined;
	create: ReactNode;
	empty: ReactNode;
}

function RuleList({ actions, bulk, create, empty }: Props) {
	const { t } = useTranslation("firewall");
	const state = useTableState(["src", "dst"]);
	const own = useRuleActions();
	const columns = ["name", "way", "service", "action", "hits"].map((one) => t(`rule.column.${one}`));
	const filters = [
		{ key: "src", label: t("rule.allFrom"), options: useSourceZones() },
		{ key: "dst", label: t("rule.allTo"), options: useTargetZones() },
	];
	return (
		<>
			<OrderedList
				source={rules}
				query={state.query}
				label={t("tab.rules")}
				order={orderFirewallRules}
				columns={columns}
				bulk={bulk}
				useMore={useMore}
				content={content}
				actions={actions && ((rule) => [...own(rule), ...actions(rule)])}
				className="gw-fw-rules"
				head={(total, stale, csv) =>
					Boolean(total || state.filtered) && (
						<div className={stale ? "gw-stale" : undefined}>
							<TableToolbar state={state} filters={filters} searchLabel={t("rule.search")} total={total}>
								{csv}
								{create}
							</TableToolbar>
						</div>
					)
				}
				none={state.filtered ? <NothingFound clear={state.clear} /> : empty}
			/>
			<p className="gw-fw-rest">{t("rule.rest")}</p>
		</>
	);
}

/** useRuleActions are what can be done to a rule beside editing and deleting it. */
function useRuleActions() {
	const { t } = useTranslation("firewall");
	const text = useErrorText();
	const { mutate } = useSave(rules);
	const [, set] = useUrlState();
	const turn = async (rule: Rule) => {
		const risky = !rule.enabled && (await opensEverything(rule).catch(() => true));
		if (risky) return set({ do: enabling.id, id: rule.id }, { push: true });
		mutate(
			{ row: rule, body: { ...inputOf(rule), enabled: !rule.enabled } },
			{
				onSuccess: ({ outcome }) => tell(t("rule.saved", { name: rule.name }), "firewall", outcome),
				onError: (error) => toast.danger(t("notSaved", { name: rule.name }), { detail: text(error) }),
			},
		);
	};
	const duplicate = async ({ id }: Rule) => {
		const { data } = await rules.get({ path: { id } });
		set(linkTo(inputOf(data)), { push: true });
	};
	return (rule: Rule): RowAction[] => [
		{ title: t(rule.enabled ? "rule.turnOff" : "rule.turnOn"), onClick: () => void turn(rule) },
		{ title: t("rule.duplicate"), onClick: () => void duplicate(rule) },
	];
}

function NothingFound({ clear }: { clear: () => void }) {
	const { t } = useTranslation("firewall");
	const action = (
		<Button variant="link" onClick={clear}>
			{t("rule.showAll")}
		</Button>
	);
	return (
		<EmptyState title={t("rule.none")} icon={SearchIcon} action={action}>
			{t("rule.noneText")}
		</EmptyState>
	);
}
