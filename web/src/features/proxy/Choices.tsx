import { Radio } from "@patternfly/react-core";
import { FieldHint, sentence } from "@ui";
import { useTranslation } from "@ui/translation";
import type { ReactNode } from "react";
import { type UseFormReturn, useController } from "react-hook-form";
import type { Values } from "./publish";

interface Props<N extends "where" | "certificate"> {
	form: UseFormReturn<Values>;
	name: N;
	choices: { value: Values[N]; off?: boolean; label?: string; hint?: ReactNode; content?: ReactNode }[];
}

/** Choices lets one of a few ways be chosen; what the way needs to know stands below it. */
export function Choices<N extends "where" | "certificate">({ form, name, choices }: Props<N>) {
	const { t } = useTranslation("proxy");
	const { field, fieldState } = useController({ name, control: form.control });
	const wrong = fieldState.error?.message;
	return (
		<fieldset className="gw-choices" aria-labelledby="publish-step">
			{choices.map(({ value, off = false, label, hint, content }, place) => (
				<div key={value} className="gw-choice" data-chosen={field.value === value}>
					<Radio
						id={`${name}-${value}`}
						name={name}
						ref={place === 0 ? field.ref : undefined}
						label={label ?? t(`publish.${name}.${value}`)}
						description={hint ?? t(`publish.${name}.${value}Hint`)}
						isChecked={field.value === value}
						isDisabled={off}
						onChange={() => form.setValue(name, value as never, { shouldDirty: true, shouldValidate: Boolean(wrong) })}
					/>
					{field.value === value && content && <div className="gw-choice-more">{content}</div>}
				</div>
			))}
			{wrong && (
				<FieldHint id={`${name}-help`} wrong>
					{sentence(wrong)}
				</FieldHint>
			)}
		</fieldset>
	);
}
