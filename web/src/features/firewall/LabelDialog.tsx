import type { Resource } from "@api";
import { Checkbox, FormGroup, Radio } from "@patternfly/react-core";
import BulkDialog from "@ui/change/BulkDialog";
import { ListInput } from "@ui/ListInput";
import { useTranslation } from "@ui/translation";
import { useState } from "react";
import { allLabels, changes, type Labelled, type Labelling, labelled } from "./labelling";

interface Props<R extends Labelled> {
	source: Pick<Resource<R, never>, "path" | "tag" | "name" | "component">;
	/** A row as an update takes it. */
	inputOf: (row: R) => object;
	rows: R[];
	onDone: () => void;
	onClose: () => void;
}

/** LabelDialog adds labels to many rules, or removes some that they have. */
export default function LabelDialog<R extends Labelled>({ source, inputOf, rows, ...ends }: Props<R>) {
	const { t } = useTranslation("firewall");
	const [how, setHow] = useState<Labelling["how"]>("add");
	const [added, add] = useState<string[]>([]);
	const [removed, remove] = useState<string[]>([]);
	const given = { how, labels: how === "add" ? added : removed };
	const unsaid = given.labels.length === 0;
	const fitting = unsaid ? rows : rows.filter((row) => changes(row, given));
	const action = {
		id: "label",
		title: t("labels.title"),
		skipped: t(`labels.skipped.${how}`),
		step: (row: R) => ({ method: "PUT" as const, body: { ...inputOf(row), labels: labelled(row, given) } }),
	};
	const missing = unsaid ? t("labels.missing") : fitting.length === 0 ? action.skipped : undefined;
	const there = allLabels(rows);
	return (
		<BulkDialog
			resource={source}
			rows={fitting}
			skipped={rows.filter((row) => !fitting.includes(row))}
			action={action}
			missing={missing}
			{...ends}
		>
			<div role="radiogroup" aria-label={t("labels.title")} className="gw-ordered-choices">
				{(["add", "remove"] as const).map((one) => (
					<Radio
						key={one}
						id={`labels-${one}`}
						name="labels"
						label={t(`labels.how.${one}`)}
						isChecked={how === one}
						isDisabled={one === "remove" && there.length === 0}
						onChange={() => setHow(one)}
					/>
				))}
			</div>
			{how === "add" ? (
				<FormGroup label={t("labels.labels")} fieldId="labels-added">
					<ListInput id="labels-added" lines value={added} onChange={add} aria-describedby="labels-help" />
					<p id="labels-help" className="gw-subtle">
						{t("rule.help.labels")}
					</p>
				</FormGroup>
			) : (
				<FormGroup role="group" isStack label={t("labels.labels")} fieldId="labels-removed">
					{there.map((label) => (
						<Checkbox
							key={label}
							id={`labels-remove-${label}`}
							label={label}
							isChecked={removed.includes(label)}
							onChange={(_, on) => remove(on ? [...removed, label] : removed.filter((one) => one !== label))}
						/>
					))}
				</FormGroup>
			)}
		</BulkDialog>
	);
}
