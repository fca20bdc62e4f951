import { FormSelect, FormSelectOption, TextInput } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import type { ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { formatNumber } from "./format";
import type { TableState } from "./useTableState";

/** Filter is a choice above the table; its value goes to the server as the query parameter of that name. */
export interface Filter {
	key: string;
	label: string;
	options: { value: string; label: string }[];
}

interface Props {
	state: TableState;
	filters: Filter[];
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
				<FormSelect
					key={filter.key}
					className="gw-toolbar-filter"
					aria-label={filter.label}
					value={state.search[filter.key] ?? ""}
					onChange={(_, value) => state.setFilter(filter.key, value || undefined)}
				>
					<FormSelectOption value="" label={filter.label} />
					{filter.options.map((option) => (
						<FormSelectOption key={option.value} value={option.value} label={option.label} />
					))}
				</FormSelect>
			))}
			<span role="status" className="gw-toolbar-count">
				{total === undefined ? "" : t("table.count", { count: total, shown: formatNumber(total) })}
			</span>
			{children}
		</search>
	);
}
