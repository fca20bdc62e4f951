import { Checkbox } from "@patternfly/react-core";
import type { Choice } from "./fields";

interface Props {
	id: string;
	label: string;
	describedBy?: string;
	value: string[];
	/** A hook: what there is to choose from. */
	useChoices: () => Choice[];
	onChange: (value: string[]) => void;
}

/** ChoicesInput lets any number of a few be chosen. What is chosen already is offered even when nobody knows it. */
export function ChoicesInput({ id, label, describedBy, value, useChoices, onChange }: Props) {
	const choices = useChoices();
	const gone = value.filter((one) => !choices.some((choice) => choice.value === one));
	const toggle = (one: string, on: boolean) => onChange(on ? [...value, one] : value.filter((other) => other !== one));
	return (
		<fieldset id={id} className="gw-choices-input" aria-label={label} aria-describedby={describedBy}>
			{[...choices, ...gone.map((one) => ({ value: one, label: one }))].map((choice) => (
				<Checkbox
					key={choice.value}
					id={`${id}-${choice.value}`}
					label={choice.label}
					isChecked={value.includes(choice.value)}
					onChange={(_, on) => toggle(choice.value, on)}
				/>
			))}
		</fieldset>
	);
}
