import { FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import { useTranslation } from "@ui/translation";
import type { Document, Operation, Parameter } from "./openapi";
import { keyOf, type Values } from "./request";
import { resolve } from "./schema";

interface Props {
	document: Document;
	operation: Operation;
	values: Values;
	/** Those that must be filled in before sending. */
	lacking: Parameter[];
	change: (key: string, value: string) => void;
}

/** ParameterFields asks for what stands in the path, the query and the headers. */
export function ParameterFields({ document, operation, values, lacking, change }: Props) {
	const { t } = useTranslation("reference");
	if (operation.parameters.length === 0) return null;
	return (
		<div className="gw-ref-fields">
			{operation.parameters.map((parameter) => {
				const key = keyOf(parameter);
				const id = `ref-${key.replaceAll(" ", "-")}`;
				const schema = resolve(document, parameter.schema ?? {});
				const options = schema.enum ?? (schema.type === "boolean" ? [true, false] : undefined);
				const lacks = lacking.includes(parameter);
				return (
					<div key={key}>
						<label htmlFor={id}>
							<code>{parameter.name}</code>
							{parameter.required && <em>{t("required")}</em>}
						</label>
						{options ? (
							<FormSelect id={id} value={values[key] ?? ""} onChange={(_, value) => change(key, value)}>
								<FormSelectOption value="" label="–" />
								{options.map((option) => (
									<FormSelectOption key={String(option)} value={String(option)} label={String(option)} />
								))}
							</FormSelect>
						) : (
							<TextInput
								id={id}
								value={values[key] ?? ""}
								placeholder={schema.default === undefined ? undefined : String(schema.default)}
								spellCheck={false}
								autoComplete="off"
								validated={lacks ? "error" : "default"}
								aria-describedby={lacks ? `${id}-wrong` : undefined}
								onChange={(_, value) => change(key, value)}
							/>
						)}
						{lacks && (
							<p id={`${id}-wrong`} className="gw-ref-wrong">
								{t("try.needed")}
							</p>
						)}
					</div>
				);
			})}
		</div>
	);
}
