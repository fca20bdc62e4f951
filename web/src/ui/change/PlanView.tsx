import "./change.css";
import type { Plan } from "@api";
import { useEffect, useRef } from "react";
import type { Input } from "../fields";
import { useTranslation } from "../translation";
import { useValueText } from "../valueText";
import { useWords } from "../words";
import { FileDiffs } from "./FileDiffs";
import { planWords } from "./planWords";
import { fieldsOf } from "./rows";

interface Props {
	plan: Plan;
	/** Namespace and inputs of the form whose change it is. */
	ns?: string;
	inputs?: Input[];
}

/** PlanView says what a change would do, in words first, then file by file; nothing has changed yet. */
export default function PlanView({ plan, ns = "ui", inputs = [] }: Props) {
	const { t } = useTranslation("ui");
	const view = useRef<HTMLElement>(null);
	const files = plan.files.filter((file) => file.diff !== "");
	const words = planWords(plan.rows);
	useEffect(() => view.current?.focus(), []);
	const rest = files.length > 0 ? "change.planText" : words.length > 0 ? "change.planRows" : "change.planNothing";
	return (
		<section className="gw-plan" aria-label={t("change.plan")} ref={view} tabIndex={-1}>
			<ul className="gw-plan-words">
				{words.map((sentence) => (
					<li key={sentence}>{sentence}</li>
				))}
			</ul>
			<Fields plan={plan} ns={ns} inputs={inputs} />
			<p className="gw-plan-rest">{t(rest)}</p>
			<FileDiffs files={files} folded />
		</section>
	);
}

/** Values that say nothing to a reader, or that nobody may read. */
const unreadable = /password|secret|_key$|_id$/;

/** Fields are what changes in the row that a form is about, as the form calls it. */
function Fields({ plan, ns, inputs }: Required<Props>) {
	const { t, has } = useWords(ns);
	const { t: shared } = useTranslation("ui");
	const text = useValueText(ns, inputs);
	const rows = plan.rows.filter((row) => row.operation === "UPDATE");
	const changes = rows.length === 1 && rows[0] ? fieldsOf(rows[0]).filter(({ field }) => has(`field.${field}`)) : [];
	if (changes.length === 0) return null;
	return (
		<dl className="gw-plan-fields">
			{changes.map(({ field, before, after }) => (
				<div key={field}>
					<dt>{t(`field.${field}`)}</dt>
					<dd>
						{unreadable.test(field)
							? shared("change.changed")
							: shared("change.became", { before: text(field, before), after: text(field, after) })}
					</dd>
				</div>
			))}
		</dl>
	);
}
