import type { Choice, Field, FormSchema } from "./fields";
import { describe } from "./fields";
import { PropertyList } from "./PropertyList";
import { useValueText } from "./valueText";
import { useWords } from "./words";

interface Props {
	ns: string;
	schema: FormSchema;
	fields: Field[];
	stored: object;
}

/** SettingsView shows settings to those who may not change them. */
export function SettingsView({ ns, schema, fields, stored }: Props) {
	const { t } = useWords(ns);
	const words = useValueText(ns, fields);
	const values = stored as Record<string, unknown>;
	const shown = fields.map((field) => describe(schema, field));
	return (
		<PropertyList
			items={shown.map(({ name, useChoices }) => [
				t(`field.${name}`),
				useChoices ? <Chosen key={name} value={values[name]} useChoices={useChoices} /> : words(name, values[name]),
			])}
		/>
	);
}

/** Chosen is what people call the choice, or the choices, that are stored. */
function Chosen({ value, useChoices }: { value: unknown; useChoices: () => Choice[] }) {
	const choices = useChoices();
	const labels = [value].flat().flatMap((one) => choices.find((choice) => choice.value === one)?.label ?? []);
	return labels.join(", ") || "–";
}
