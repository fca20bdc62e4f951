import { type ReactNode, useEffect, useId, useRef } from "react";
import { type Control, useFormState, useWatch } from "react-hook-form";
import { FormField } from "./FormField";
import { type Input, isAsked, isBlank } from "./fields";
import { useTranslation } from "./translation";
import { useWords } from "./words";

interface Props {
	ns: string;
	inputs: Input[];
	control: Control;
}

/** Section is a part of a form; that without a name has no heading. */
export interface Section {
	name: string;
	inputs: Input[];
}

/** sectionsOf are the parts of a form in the order in which they are first named, what is advanced last. */
export function sectionsOf(inputs: Input[]): Section[] {
	const names = [...new Set(inputs.map((input) => input.section ?? ""))];
	const ordered = [...names.filter((name) => name !== "advanced"), ...names.filter((name) => name === "advanced")];
	return ordered.map((name) => ({ name, inputs: inputs.filter((input) => (input.section ?? "") === name) }));
}

const nothing = (value: unknown) => isBlank(value) || (Array.isArray(value) && value.length === 0);

/** changedOf counts the inputs that are asked and hold something else than by default. */
export const changedOf = (inputs: Input[], values: Record<string, unknown>) =>
	inputs.filter(({ name, initial, ...input }) => {
		const value = values[name];
		if (!isAsked({ name, ...input }, values) || (nothing(value) && nothing(initial))) return false;
		return JSON.stringify(value) !== JSON.stringify(initial);
	}).length;

/** FormSections shows the inputs of a form, part by part. */
export function FormSections({ ns, inputs, control }: Props) {
	return sectionsOf(inputs).map(({ name, inputs: own }) => {
		const fields = (
			<div className="gw-fields">
				{own.map((input) => (
					<FormField key={input.name} ns={ns} input={input} control={control} />
				))}
			</div>
		);
		if (name === "") return <div key={name}>{fields}</div>;
		if (name !== "advanced") return <Titled key={name} ns={ns} name={name} fields={fields} />;
		return <Advanced key={name} inputs={own} control={control} fields={fields} />;
	});
}

function Titled({ ns, name, fields }: { ns: string; name: string; fields: ReactNode }) {
	const { t } = useWords(ns);
	const id = useId();
	return (
		<section className="gw-section" aria-labelledby={id}>
			<h2 id={id}>{t(`section.${name}`)}</h2>
			{fields}
		</section>
	);
}

/** Advanced is folded, says how much in it is not as it comes, and opens by itself when something in it is wrong. */
function Advanced({ inputs, control, fields }: { inputs: Input[]; control: Control; fields: ReactNode }) {
	const { t } = useTranslation("ui");
	const fold = useRef<HTMLDetailsElement>(null);
	// All of them: what is asked may depend on any.
	const values = useWatch({ control }) as Record<string, unknown>;
	const { errors } = useFormState({ control });
	const changed = changedOf(inputs, values);
	const wrong = inputs.some((input) => errors[input.name]);
	useEffect(() => {
		if (wrong && fold.current) fold.current.open = true;
	}, [wrong]);
	return (
		<details className="gw-section gw-advanced" ref={fold}>
			<summary>
				{t("form.advanced")}
				{changed > 0 && <span className="gw-advanced-count">{t("form.changed", { count: changed })}</span>}
			</summary>
			{fields}
		</details>
	);
}
