import type { Choice, Field, FormSchema } from "./fields";
import { describe } from "./fields";
import { PropertyList } from "./PropertyList";
import { type Unit, unitText } from "./units";
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
	const { t, has } = useWords(ns);
	const words = useValueText(ns);
	const values = stored as Record<string, unknown>;
	const shown = fields.map((field) => describe(schema, field));
	const counted = (name: string, unit: Unit, value: number) =>
		value === 0 && has(`zero.${name}`) ? t(`zero.${name}`) : unitText(unit, value);
	return (
		<PropertyList
			items={shown.map(({ name, useChoices, unit }) => [
				t(`field.${name}`),
				useChoices ? (
					<Chosen key={name} value={values[name]} useChoices={useChoices} />
				) : unit && typeof values[name] === "number" ? (
					counted(name, unit, values[name])
				) : (
					words(name, values[name])
				),
			])}
		/>
	);
}

/** Chosen is what people call the choice that is stored. */
function Chosen({ value, useChoices }: { value: unknown; useChoices: () => Choice[] }) {
	return useChoices().find((choice) => choice.value === value)?.label ?? "–";
}
