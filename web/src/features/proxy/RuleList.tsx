import { type ProxyRule, type ProxyRuleInput, type Resource, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { type BulkAction, BusyButton, LeaveGuard, type RowAction, tell, toast, useErrorText } from "@ui";
import { BulkBar } from "@ui/BulkBar";
import { TickBox } from "@ui/TickBox";
import { useTranslation } from "@ui/translation";
import { tickedOf, useTicks } from "@ui/useTicks";
import { type DragEvent, useState } from "react";
import { arranged, isSame, moved } from "./order";
import { RuleItem } from "./RuleItem";
import { useOrder } from "./requests";

interface Props {
	site: string;
	resource: Resource<ProxyRule, ProxyRuleInput>;
	rules: ProxyRule[];
	actions: ((rule: ProxyRule) => RowAction[]) | undefined;
	/** What can be done to many rules at once; with any, they can be ticked. */
	bulk: BulkAction<ProxyRule>[] | undefined;
}

/** All of them are loaded. */
const everything = {};

/** RuleList is the rules in their order, which is changed by dragging or by the buttons, and then saved as a whole. */
export function RuleList({ site, resource, rules, actions, bulk = [] }: Props) {
	const { t } = useTranslation("proxy");
	const { t: words } = useTranslation("ui");
	const text = useErrorText();
	const admin = useCan("admin");
	const { mutate, isPending } = useOrder();
	const [order, setOrder] = useState<string[]>([]);
	const [dragged, setDragged] = useState<number>();
	const [said, say] = useState("");
	const shown = arranged(rules, order);
	const changed = !isSame(shown, rules);
	const { selection, all, tick, tickAll } = useTicks(resource, everything, (place) => shown[place]);
	const ticked = tickedOf(selection.rows.length, rules.length);
	const tickable = bulk.length > 0;
	const move = (from: number, to: number) => {
		const next = moved(shown, from, to);
		setOrder(next.map((rule) => rule.id));
		say(t("rule.moved", { path: shown[from]?.path_prefix, place: Math.min(Math.max(to, 0), shown.length - 1) + 1 }));
	};
	const over = (event: DragEvent, place: number) => {
		if (dragged === undefined) return;
		event.preventDefault();
		if (dragged === place) return;
		move(dragged, place);
		setDragged(place);
	};
	const save = () =>
		mutate(
			{ domain_id: site, rules: shown.map((rule) => rule.id) },
			{
				onSuccess: ({ outcome }) => {
					setOrder([]);
					tell(t("rule.ordered"), "proxy", outcome);
				},
				onError: (error) => toast.danger(t("rule.notOrdered"), { detail: text(error) }),
			},
		);
	return (
		<>
			{/* An order that is not saved yet comes first: what is done to many loads the list anew. */}
			{tickable && !changed && <BulkBar resource={resource} selection={selection} actions={bulk} all={all} />}
			<div className={`gw-panel gw-rules-table ${tickable ? "gw-rules-ticked" : ""}`}>
				<div className="gw-rules-columns">
					{tickable && (
						<TickBox label={words("bulk.all")} ticked={ticked === "all"} partly={ticked === "some"} onTick={tickAll} />
					)}
					<span aria-hidden="true" className="gw-rules-place">
						{t("rule.number")}
					</span>
					<span aria-hidden="true" className="gw-rules-path">
						{t("rule.field.path_prefix")}
					</span>
					<span aria-hidden="true" className="gw-rules-pool">
						{t("rule.field.backend_id")}
					</span>
				</div>
				<ol className="gw-rules" aria-label={t("tab.rules")}>
					{shown.map((rule, place) => (
						<RuleItem
							key={rule.id}
							rule={rule}
							place={place}
							last={place === shown.length - 1}
							held={dragged === place}
							actions={actions?.(rule)}
							ticked={tickable ? selection.has(rule.id) : undefined}
							onTick={(range) => tick(rule, place, range)}
							onMove={admin ? (to) => move(place, to) : undefined}
							onDrag={() => setDragged(place)}
							onOver={(event) => over(event, place)}
							onDrop={() => setDragged(undefined)}
						/>
					))}
				</ol>
			</div>
			<p role="status" className="pf-v6-screen-reader">
				{said}
			</p>
			{changed && (
				<div className="gw-rules-save">
					<span>{t("rule.unsaved")}</span>
					<BusyButton busy={isPending} onClick={save}>
						{t("rule.save")}
					</BusyButton>
					<Button variant="link" isDisabled={isPending} onClick={() => setOrder([])}>
						{t("rule.discard")}
					</Button>
				</div>
			)}
			<LeaveGuard when={() => changed && !isPending} />
		</>
	);
}
