import { FormGroup, TextInput } from "@patternfly/react-core";
import { useState } from "react";
import { ConfirmDialog } from "../ConfirmDialog";
import { useTranslation } from "../translation";

interface Props {
	name: string;
	place: number;
	onMove: (to: number) => void;
	onClose: () => void;
}

/** PlaceDialog takes a row far away, where dragging takes too long. */
export function PlaceDialog({ name, place, onMove, onClose }: Props) {
	const { t } = useTranslation("ui");
	const [typed, setTyped] = useState(String(place + 1));
	return (
		<ConfirmDialog
			title={t("order.place")}
			confirm={t("order.move")}
			onConfirm={() => onMove(Number(typed) - 1)}
			onClose={onClose}
		>
			<FormGroup label={t("order.newPlace", { name })} fieldId="rule-place">
				<TextInput
					id="rule-place"
					type="number"
					min={1}
					inputMode="numeric"
					value={typed}
					onChange={(_, text) => setTyped(text)}
				/>
			</FormGroup>
		</ConfirmDialog>
	);
}
