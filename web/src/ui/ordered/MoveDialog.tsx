import type { Row } from "@api";
import { FormGroup, Radio, TextInput } from "@patternfly/react-core";
import { useState } from "react";
import { ConfirmDialog } from "../ConfirmDialog";
import { useErrorText } from "../errorText";
import { useTranslation } from "../translation";
import { useUrlState } from "../urlState";
import { arranged, type Place } from "./order";
import { type Order, type Ordered, useArrange } from "./useSaveOrder";

interface Props<R extends Row> {
	source: Ordered<R>;
	order: Order;
	rows: R[];
	onDone: () => void;
	onClose: () => void;
}

const places: Place["to"][] = ["top", "bottom", "after"];

/** What narrows a list down: then its rows have other numbers than among all. */
const narrowing = ["q", "src", "dst", "filter"];

/** Unclear is a number that no rule has. */
class Unclear extends Error {}

/** MoveDialog takes many rules to another place, in the order that they have among themselves. */
export default function MoveDialog<R extends Row>({ source, order, rows, onDone, onClose }: Props<R>) {
	const { t } = useTranslation("ui");
	const { arrange, dialog } = useArrange(source, order);
	const [to, setTo] = useState<Place["to"]>("top");
	const [after, setAfter] = useState("1");
	const chosen = new Set(rows.map((row) => row.id));
	const [search] = useUrlState();
	const offered = narrowing.some((key) => search[key]) ? places.filter((one) => one !== "after") : places;
	const plain = useErrorText();
	const move = async () => {
		const number = Number(after);
		if (to === "after" && !(Number.isInteger(number) && number >= 1)) throw new Unclear();
		await arrange((all) => arranged(all, chosen, { to, after: number }));
		onDone();
	};
	return (
		<ConfirmDialog
			title={t("order.moveMany", { count: rows.length })}
			confirm={t("order.move")}
			errorText={(error) => (error instanceof Unclear ? t("order.unclear") : plain(error))}
			onConfirm={move}
			onClose={onClose}
		>
			<div role="radiogroup" aria-label={t("order.moveMany", { count: rows.length })} className="gw-ordered-choices">
				{offered.map((one) => (
					<Radio
						key={one}
						id={`move-${one}`}
						name="move"
						label={t(`order.to.${one}`)}
						isChecked={to === one}
						onChange={() => setTo(one)}
					/>
				))}
			</div>
			{to === "after" && (
				<FormGroup label={t("order.number")} fieldId="move-after">
					<TextInput
						id="move-after"
						type="number"
						min={1}
						inputMode="numeric"
						value={after}
						onChange={(_, text) => setAfter(text)}
					/>
				</FormGroup>
			)}
			{dialog}
		</ConfirmDialog>
	);
}
