import { FormGroup } from "@patternfly/react-core";
import { type Control, useController, useWatch } from "react-hook-form";
import { sentence } from "./errorText";
import { FieldHint } from "./FieldHint";
import { FieldInput } from "./FieldInput";
import { type Input, isAsked, isBlank } from "./fields";
import { StrengthHint } from "./StrengthHint";
import { useWords } from "./words";
import { wrongOf } from "./wrong";

interface Props {
	/** Namespace whose "field.<name>", "help.<name>", "zero.<name>" and "option.<name>.<value>" are shown. */
	ns: string;
	input: Input;
	control: Control;
}

/** FormField is a labelled input with its help, or what is wrong with it. */
export function FormField({ ns, input, control }: Props) {
	const { t, has } = useWords(ns);
	const { field, fieldState } = useController({ name: input.name, control });
	const id = `field-${input.name}`;
	const wrong = wrongOf(fieldState.error);
	const by = useWatch({ control, name: input.hintBy ?? input.name }) as unknown;
	const others = Object.keys(input.when ?? {});
	const held = useWatch({ control, name: others }) as unknown[];
	const at = input.hintBy ? `${input.name}.${String(by)}` : input.name;
	// What a new row needs, a stored one may keep.
	const asked = `help.${input.name}.${input.only}`;
	const told = input.only && has(asked) ? asked : `help.${at}`;
	const help = has(told) ? t(told) : undefined;
	const placeholder = has(`placeholder.${at}`) ? t(`placeholder.${at}`) : undefined;
	const label = input.label ?? t(`field.${input.name}`);
	const fixed = input.optionsBy?.[String(by)];
	// Leaving an input empty is no mistake yet: what is said then would push the button away that is just being pressed.
	const left = () => {
		if (fieldState.isTouched || !isBlank(field.value)) field.onBlur();
	};
	if (!isAsked(input, Object.fromEntries(others.map((name, i) => [name, held[i]])))) return null;
	const words = wrong ? sentence(wrong) : help;
	return (
		<FormGroup
			label={input.kind === "switch" ? undefined : label}
			fieldId={id}
			isRequired={input.required}
			className={`${input.narrow ? "gw-narrow" : ""} ${input.wide ? "gw-span" : ""}`.trim() || undefined}
		>
			<FieldInput
				id={id}
				input={fixed ? { ...input, kind: "select", options: fixed } : input}
				label={label}
				field={{ ...field, onBlur: left, ...(fixed && !fixed.includes(String(field.value)) && { value: "" }) }}
				invalid={Boolean(wrong)}
				placeholder={placeholder}
				zero={has(`zero.${input.name}`) ? t(`zero.${input.name}`) : undefined}
				describedBy={words ? `${id}-help` : undefined}
				optionLabel={(value) => (fixed || value === "" ? value || "–" : t(`option.${input.name}.${value}`))}
			/>
			{input.strength && <StrengthHint password={String(field.value ?? "")} />}
			{words && (
				<FieldHint id={`${id}-help`} wrong={Boolean(wrong)}>
					{words}
				</FieldHint>
			)}
		</FormGroup>
	);
}
