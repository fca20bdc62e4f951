import type { Row } from "@api";
import { Skeleton } from "@patternfly/react-core";
import { memo, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "./ResourceTable";
import { type RowAction, RowMenu } from "./RowMenu";

interface Props<R extends Row> {
	index: number;
	/** Undefined while it is on its way: a skeleton is shown. */
	row: R | undefined;
	columns: Column<R>[];
	actions?: (row: R) => RowAction[];
	name: (row: R) => string;
	/** Set where rows differ in height. */
	measure?: (element: HTMLElement | null) => void;
}

function TableRowOf<R extends Row>({ index, row, columns, actions, name, measure }: Props<R>) {
	const { t } = useTranslation("ui");
	const items = row && actions ? actions(row) : [];
	// PatternFly's classes without its components: scrolling makes hundreds of rows a second.
	return (
		<tr ref={measure} data-index={index} aria-rowindex={index + 2} className="pf-v6-c-table__tr">
			{columns.map((column) => (
				<td key={column.key} data-label={column.title} className="pf-v6-c-table__td pf-m-truncate">
					{row ? cell(column, row) : <Skeleton screenreaderText={t("loading")} width={`${35 + ((index * 7) % 40)}%`} />}
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

/** TableRow is one row of a ResourceTable; it renders again only when its own data changes. */
export const TableRow = memo(TableRowOf) as typeof TableRowOf;

function cell<R extends Row>(column: Column<R>, row: R): ReactNode {
	if (column.cell) return column.cell(row);
	const value = row[column.key as keyof R];
	const text = value === "" || value === null || value === undefined ? "–" : String(value);
	return <span title={text}>{text}</span>;
}
