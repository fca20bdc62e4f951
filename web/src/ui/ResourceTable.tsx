import { ApiError, type Resource, type Row, useCurrent } from "@api";
import { Button } from "@patternfly/react-core";
import { SearchIcon } from "@patternfly/react-icons";
import { type ReactNode, useRef, useState } from "react";
import { type BulkAction, BulkBar } from "./BulkBar";
import { Csv } from "./Csv";
import { EmptyState } from "./EmptyState";
import { ErrorState } from "./ErrorState";
import { fileOf } from "./fileOf";
import type { RowAction } from "./RowMenu";
import { TableHead } from "./TableHead";
import { TableRow } from "./TableRow";
import { type DayFilter, type Filter, TableToolbar } from "./TableToolbar";
import { useTranslation } from "./translation";
import { pageStart, useRows } from "./useRows";
import { useTableState } from "./useTableState";
import { tickedOf, useTicks } from "./useTicks";
import { useVirtualRows } from "./useVirtualRows";

/** Heights of a row in table.css. */
const heights = { comfortable: 46, compact: 34 };

/** Column shows one thing of a row. Its key is the field it sorts by when sortable; "live.…" for what is no field of it. */
export interface Column<R> {
	key: (keyof R & string) | `live.${string}`;
	title: string;
	/** The field's value as text when left out. current is false while the row may be another by now. */
	cell?: (row: R, current: boolean) => ReactNode;
	/** Only fields that the server sorts by. */
	sortable?: boolean;
	/** Width in letters, for words that are all about as long; on a narrow screen it is the same. */
	letters?: number;
	/** Share of the width, 10 to 100 (percent). */
	width?: 10 | 15 | 20 | 25 | 30 | 35 | 40 | 45 | 50 | 60 | 70 | 80 | 90 | 100;
}

export interface ResourceTableProps<R extends Row> {
	resource: Pick<Resource<R, never>, "list" | "path" | "of" | "tag" | "name" | "component" | "risky">;
	/** Name of the table for screen readers. */
	label: string;
	columns: Column<R>[];
	/** Row menu. Answer only what this account may do: an empty list shows no menu. */
	actions?: (row: R) => RowAction[];
	/** What a click on a row does where it has no link; the row menu has it too, for the keyboard. */
	onOpen?: (row: R) => void;
	/** What can be done to many rows at once; with any, rows can be ticked. */
	bulk?: BulkAction<R>[];
	filters?: (Filter | DayFilter)[];
	defaultSort?: string;
	/** Shown when the list has nothing at all; say what to do next. */
	empty: ReactNode;
	searchLabel?: string;
	/** The server cannot search this list. */
	unsearchable?: boolean;
	/** Stands at the end of the line with the search. */
	toolbar?: ReactNode;
}

/**
 * ResourceTable lists a resource: server-side search, sort and filters in the URL,
 * any number of rows, cards on a narrow screen.
 */
export function ResourceTable<R extends Row>(props: ResourceTableProps<R>) {
	const { resource, label, columns, actions, filters = [], empty, bulk = [] } = props;
	const { t } = useTranslation("ui");
	const state = useTableState(
		filters.map((filter) => filter.key),
		props.defaultSort,
	);
	const [seen, setSeen] = useState<[number, number]>([0, 0]);
	const rows = useRows(resource, state.query, ...seen);
	const current = useCurrent({ data: rows.total, isError: rows.error !== null }) !== undefined;
	const table = useRef<HTMLTableElement>(null);
	const count = rows.total ?? 8;
	const virtual = useVirtualRows(count, table, heights);
	const range: [number, number] = [pageStart(virtual.rows[0]?.index), pageStart(virtual.rows.at(-1)?.index)];
	if (range[0] !== seen[0] || range[1] !== seen[1]) setSeen(range);

	const { selection, all, tick, tickAll } = useTicks(resource, state.query, rows.at);

	// What is switched off has no rows; the page says that it is off.
	if (rows.error instanceof ApiError && rows.error.code === "switched_off") return empty;
	if (rows.error && rows.total === undefined) return <ErrorState error={rows.error} retry={rows.refetch} />;
	if (rows.total === 0 && !state.filtered && !rows.stale) return empty;
	const { sort } = state;
	// What was there before the search or the filter changed is no answer to it.
	const lost = rows.stale ? rows.error : null;
	return (
		<div className={rows.stale ? "gw-table gw-stale" : "gw-table"} aria-busy={rows.total === undefined}>
			<TableToolbar
				state={state}
				filters={filters}
				searchLabel={props.unsearchable ? undefined : (props.searchLabel ?? t("table.search"))}
				total={lost ? undefined : rows.total}
			>
				<Csv name={fileOf(resource.path)} rows={all} />
				{props.toolbar}
			</TableToolbar>
			{bulk.length > 0 && <BulkBar resource={resource} selection={selection} actions={bulk} all={all} />}
			{lost && <ErrorState error={lost} retry={rows.refetch} />}
			<table
				ref={table}
				hidden={lost !== null}
				aria-label={label}
				aria-rowcount={(rows.total ?? -2) + 1}
				className="pf-v6-c-table pf-m-grid-md pf-m-compact pf-m-fixed"
			>
				<TableHead
					columns={columns}
					sort={sort?.field}
					down={sort?.down ?? false}
					onSort={state.setSort}
					withActions={Boolean(actions)}
					ticked={bulk.length === 0 ? undefined : tickedOf(selection.rows.length, rows.total)}
					onTick={tickAll}
				/>
				<Spacer height={virtual.above} />
				<tbody className="pf-v6-c-table__tbody">
					{virtual.rows.map((item) => (
						<TableRow
							key={item.key}
							index={item.index}
							measure={virtual.measure}
							row={rows.at(item.index)}
							current={current}
							columns={columns}
							actions={actions}
							name={resource.name}
							onOpen={props.onOpen}
							ticked={bulk.length === 0 ? undefined : selection.has(rows.at(item.index)?.id ?? "")}
							onTick={tick}
						/>
					))}
				</tbody>
				<Spacer height={virtual.below} />
			</table>
			{rows.total === 0 && (
				<EmptyState
					title={t("table.none")}
					icon={SearchIcon}
					action={
						<Button variant="link" onClick={state.clear}>
							{t("table.clear")}
						</Button>
					}
				>
					{t("table.noneHint")}
				</EmptyState>
			)}
		</div>
	);
}

/** Spacer stands for the rows that are not rendered. */
function Spacer({ height }: { height: number }) {
	if (height <= 0) return null;
	return (
		<tbody aria-hidden="true" className="gw-spacer">
			<tr>
				<td style={{ height }} />
			</tr>
		</tbody>
	);
}
