import "./filter.css";
import { Button, FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import type { ReactNode } from "react";
import type { Choice, ChoiceSource } from "./fields";
import { fromLocal, toLocal } from "./moment";
import { SearchInput } from "./SearchInput";
import { useTranslation } from "./translation";
import type { TypedFilters } from "./useTypedFilters";

interface Props {
	/** What each is called. */
	label: (key: string) => string;
	filters: TypedFilters;
	/** Those that are chosen, not typed. */
	choices?: Record<string, Choice[]>;
	/** Those that are found on the server. */
	sources?: Record<string, ChoiceSource>;
	/** Those that are moments; RFC 3339 in the URL, in the browser's zone on the page. */
	moments?: readonly string[];
	children?: ReactNode;
}

/** FilterBar asks what to look for. */
export function FilterBar({ label, filters, choices = {}, sources = {}, moments = [], children }: Props) {
	const { t } = useTranslation("ui");
	return (
		<search className="gw-filters">
			{filters.keys.map((key) => (
				<div key={key}>
					<label htmlFor={`filter-${key}`}>{label(key)}</label>
					<Control
						id={`filter-${key}`}
						label={label(key)}
						value={filters.value(key)}
						choices={choices[key]}
						source={sources[key]}
						moment={moments.includes(key)}
						all={t("filterBar.all")}
						onChange={(value) => filters.type(key, value)}
					/>
				</div>
			))}
			{filters.filtered && (
				<Button variant="link" onClick={filters.clear}>
					{t("filterBar.clear")}
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
	moment: boolean;
	/** Says that nothing is chosen. */
	all: string;
	onChange: (value: string) => void;
}

function Control({ id, label, value, choices, source, moment, all, onChange }: ControlProps) {
	if (source) return <SearchInput id={id} label={label} source={source} value={value} onChange={onChange} />;
	if (choices) {
		return (
			<FormSelect id={id} value={value} onChange={(_, chosen) => onChange(chosen)}>
				<FormSelectOption value="" label={all} />
				{choices.map((choice) => (
					<FormSelectOption key={choice.value} value={choice.value} label={choice.label} />
				))}
			</FormSelect>
		);
	}
	if (moment) {
		const change = (text: string) => onChange(fromLocal(text) ?? "");
		return <TextInput id={id} type="datetime-local" value={toLocal(value)} onChange={(_, text) => change(text)} />;
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
