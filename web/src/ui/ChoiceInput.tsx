import { FormSelect, FormSelectOption } from "@patternfly/react-core";
import type { ComponentProps } from "react";
import type { Choice } from "./fields";
import { useTranslation } from "./translation";

interface Props extends Omit<ComponentProps<typeof FormSelect>, "children" | "onChange" | "ref"> {
	/** A hook: what there is to choose from. */
	useChoices: () => Choice[];
	onChange: (value: string) => void;
}

/** ChoiceInput is a select whose choices come from the server. */
export function ChoiceInput({ useChoices, onChange, value, ...rest }: Props) {
	const { t } = useTranslation("ui");
	const choices = useChoices();
	const known = choices.some((choice) => choice.value === value);
	return (
		<FormSelect {...rest} value={known ? value : ""} onChange={(_, chosen) => onChange(chosen)}>
			{!known && <FormSelectOption value="" label={t("choose")} isPlaceholder isDisabled />}
			{choices.map((choice) => (
				<FormSelectOption key={choice.value} value={choice.value} label={choice.label} />
			))}
		</FormSelect>
	);
}
