import type { Row } from "@api";
import { Skeleton } from "@patternfly/react-core";
import { type MouseEvent, memo, type ReactNode } from "react";
import type { Column } from "./ResourceTable";
import { type RowAction, RowMenu } from "./RowMenu";
import { TickBox } from "./TickBox";
import { useTranslation } from "./translation";
import type { Tick } from "./useTicks";

interface Props<R extends Row> {
	index: number;
	/** Undefined while it is on its way: a skeleton is shown. */
	row: R | undefined;
	/** The rows were looked at just now. */
	current: boolean;
	columns: Column<R>[];
	actions?: (row: R) => RowAction[];
	name: (row: R) => string;
	/** What a click on the row does where it has no link of its own. The keyboard finds the same in the row's menu. */
	onOpen?: (row: R) => void;
	/** Whether it is ticked; undefined where rows cannot be. */
	ticked?: boolean;
	onTick?: Tick<R>;
	/** Set where rows differ in height. */
	measure?: (element: HTMLElement | null) => void;
}

function TableRowOf<R extends Row>({ index, row, current, columns, actions, ...rest }: Props<R>) {
	const { name, measure, ticked, onTick, onOpen } = rest;
	const { t } = useTranslation("ui");
	const items = row && actions ? actions(row) : [];
	// PatternFly's classes without its components: scrolling makes hundreds of rows a second. A click anywhere does what
	// the link in the row does, or else the first entry of its menu, which is where the keyboard goes.
	return (
		<tr
			ref={measure}
			data-index={index}
			aria-rowindex={index + 2}
			className={row && onOpen ? "pf-v6-c-table__tr gw-row gw-row-opens" : "pf-v6-c-table__tr gw-row"}
			onClick={(event) => openRow(event, row && onOpen && (() => onOpen(row)))}
		>
			{ticked !== undefined && (
				<td className="pf-v6-c-table__td gw-tick-cell">
					{row && (
						<TickBox
							label={t("bulk.one", { name: name(row) })}
							ticked={ticked}
							onTick={(_, range) => onTick?.(row, index, range)}
						/>
					)}
				</td>
			)}
			{columns.map((column) => (
				<td key={column.key} data-label={column.title} className="pf-v6-c-table__td pf-m-truncate">
					{row ? (
						cell(column, row, current)
					) : (
						<Skeleton screenreaderText={t("loading")} width={`${35 + ((index * 7) % 40)}%`} />
					)}
				</td>
			))}
			{actions && (
				<td className="pf-v6-c-table__td pf-v6-c-table__action gw-actions-cell">
					{row && items.length > 0 && <RowMenu items={items} label={t("table.actionsOf", { name: name(row) })} />}
				</td>
			)}
		</tr>
	);
}

const interactive =
	"a, button, input, select, textarea, label, .gw-tick-cell, .gw-actions-cell, [role=menu], [role=dialog], [role=switch]";

/** openRow opens what the row is about, wherever it is clicked; not when something else in it was, or text was selected. */
function openRow(event: MouseEvent<HTMLTableRowElement>, open?: () => void): void {
	const target = event.target as Element;
	const row = event.currentTarget;
	if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
	if (target.closest(interactive) || !row.contains(target)) return;
	const marked = window.getSelection();
	if (marked?.toString() && row.contains(marked.anchorNode)) return;
	const link = row.querySelector<HTMLAnchorElement>(
		"td:is(:first-child:not(.gw-tick-cell), .gw-tick-cell + td) a[href]",
	);
	if (link) link.click();
	else open?.();
}

/** TableRow is one row of a ResourceTable; it renders again only when its own data changes. */
export const TableRow = memo(TableRowOf) as typeof TableRowOf;

function cell<R extends Row>(column: Column<R>, row: R, current: boolean): ReactNode {
	if (column.cell) return column.cell(row, current);
	const value = row[column.key as keyof R];
	const text = value === "" || value === null || value === undefined ? "–" : String(value);
	return <span title={text}>{text}</span>;
}
