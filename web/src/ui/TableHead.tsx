import type { Row } from "@api";
import { Th, Thead, Tr } from "@patternfly/react-table";
import { memo } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "./ResourceTable";
import type { Sort } from "./useTableState";

interface Props<R extends Row> {
	columns: Column<R>[];
	/** Field that sorts now. */
	sort: string | undefined;
	down: boolean;
	onSort: (sort: Sort) => void;
	withActions: boolean;
}

function TableHeadOf<R extends Row>({ columns, sort, down, onSort, withActions }: Props<R>) {
	const { t } = useTranslation("ui");
	const index = columns.findIndex((column) => column.key === sort);
	const sortOf = (column: Column<R>, columnIndex: number) => ({
		columnIndex,
		sortBy: { index, direction: down ? ("desc" as const) : ("asc" as const) },
		onSort: (_: unknown, __: number, direction: string) => onSort({ field: column.key, down: direction === "desc" }),
	});
	return (
		<Thead>
			<Tr aria-rowindex={1}>
				{columns.map((column, i) => (
					<Th key={column.key} width={column.width} sort={column.sortable ? sortOf(column, i) : undefined}>
						{column.title}
					</Th>
				))}
				{withActions && <Th screenReaderText={t("table.actions")} className="gw-actions-cell" />}
			</Tr>
		</Thead>
	);
}

/** TableHead is the head of a ResourceTable; scrolling does not render it again. */
export const TableHead = memo(TableHeadOf) as typeof TableHeadOf;
