import { Button, FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import type { Choice, ChoiceSource } from "@ui";
import { SearchInput } from "@ui/SearchInput";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { TypedFilters } from "./useTypedFilters";

interface Props {
	filters: TypedFilters;
	/** Those that are chosen, not typed. */
	choices: Record<string, Choice[]>;
	/** Those that are found on the server. */
	sources?: Record<string, ChoiceSource>;
	children?: ReactNode;
}

/** FilterBar asks what to look for. */
export function FilterBar({ filters, choices, sources = {}, children }: Props) {
	const { t } = useTranslation("firewall");
	return (
		<search className="gw-fw-filters">
			{filters.keys.map((key) => (
				<div key={key}>
					<label htmlFor={`filter-${key}`}>{t(`filter.${key}`)}</label>
					<Control
						id={`filter-${key}`}
						label={t(`filter.${key}`)}
						value={filters.value(key)}
						choices={choices[key]}
						source={sources[key]}
						onChange={(value) => filters.type(key, value)}
					/>
				</div>
			))}
			{filters.filtered && (
				<Button variant="link" onClick={filters.clear}>
					{t("filter.clear")}
				</Button>
			)}
			{children}
		</search>
	);
}

interface ControlProps {
	id: string;
	label: string;
	value: string;
	choices: Choice[] | undefined;
	source: ChoiceSource | undefined;
	onChange: (value: string) => void;
}

function Control({ id, label, value, choices, source, onChange }: ControlProps) {
	const { t } = useTranslation("firewall");
	if (source) return <SearchInput id={id} label={label} source={source} value={value} onChange={onChange} />;
	if (choices) {
		return (
			<FormSelect id={id} value={value} onChange={(_, chosen) => onChange(chosen)}>
				<FormSelectOption value="" label={t("filter.all")} />
				{choices.map((choice) => (
					<FormSelectOption key={choice.value} value={choice.value} label={choice.label} />
				))}
			</FormSelect>
		);
	}
	return (
		<TextInput
			id={id}
			type="search"
			maxLength={64}
			spellCheck={false}
			value={value}
			onChange={(_, text) => onChange(text)}
		/>
	);
}
