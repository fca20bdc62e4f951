import { FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import type { ReactNode } from "react";
import { formatNumber } from "./format";
import { useTranslation } from "./translation";
import type { TableState } from "./useTableState";

/** Filter is a choice above the table; its value goes to the server as the query parameter of that name. */
export interface Filter {
	key: string;
	label: string;
	options: { value: string; label: string }[];
}

/** DayFilter asks for a day, as in a calendar: "2026-11-16". */
export interface DayFilter {
	key: string;
	label: string;
	day: true;
}

interface Props {
	state: TableState;
	filters: (Filter | DayFilter)[];
	/** Undefined for a list that cannot be searched. */
	searchLabel: string | undefined;
	total: number | undefined;
	children?: ReactNode;
}

/** TableToolbar is search, filters and the number of rows found. PatternFly's own brings 12 kB for this. */
export function TableToolbar({ state, filters, searchLabel, total, children }: Props) {
	const { t } = useTranslation("ui");
	return (
		<search className="gw-toolbar">
			{searchLabel && (
				<TextInput
					type="search"
					className="gw-toolbar-search"
					aria-label={searchLabel}
					placeholder={searchLabel}
					customIcon={<SearchIcon />}
					value={state.typed}
					onChange={(_, value) => state.setTyped(value)}
				/>
			)}
			{filters.map((filter) => (
				<FilterInput key={filter.key} filter={filter} state={state} />
			))}
			<span role="status" className="gw-toolbar-count">
				{total === undefined ? "" : t("table.count", { count: total, shown: formatNumber(total) })}
			</span>
			{children}
		</search>
	);
}

function FilterInput({ filter, state }: { filter: Filter | DayFilter; state: TableState }) {
	const value = state.search[filter.key] ?? "";
	const change = (_: unknown, chosen: string) => state.setFilter(filter.key, chosen || undefined);
	if ("day" in filter) {
		return (
			// The browser's own input says nothing of itself but a pattern.
			<span className="gw-toolbar-day">
				<label htmlFor={`filter-${filter.key}`}>{filter.label}</label>
				<TextInput id={`filter-${filter.key}`} type="date" value={value} onChange={change} />
			</span>
		);
	}
	return (
		<FormSelect className="gw-toolbar-filter" aria-label={filter.label} value={value} onChange={change}>
			<FormSelectOption value="" label={filter.label} />
			{filter.options.map((option) => (
				<FormSelectOption key={option.value} value={option.value} label={option.label} />
			))}
		</FormSelect>
	);
}
