import type { Field, FormSchema } from "./fields";
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
	const words = useValueText(ns);
	const values = stored as Record<string, unknown>;
	const shown = fields.map((field) => describe(schema, field));
	return (
		<PropertyList
			items={shown.map(({ name }) => [t(`field.${name}`), words(name, values[name])] as [string, string])}
		/>
	);
}
