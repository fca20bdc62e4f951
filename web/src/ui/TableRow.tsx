import type { Row } from "@api";
import { MenuToggle, type MenuToggleElement, Skeleton } from "@patternfly/react-core";
import { EllipsisVIcon } from "@patternfly/react-icons";
import { ActionsColumn, type IAction, Td, Tr } from "@patternfly/react-table";
import type { ReactNode, Ref } from "react";
import { useTranslation } from "react-i18next";
import type { Column } from "./ResourceTable";

interface Props<R extends Row> {
	index: number;
	/** Undefined while it is on its way: a skeleton is shown. */
	row: R | undefined;
	columns: Column<R>[];
	actions?: (row: R) => IAction[];
	name: (row: R) => string;
	measure: (element: HTMLElement | null) => void;
}

/** TableRow is one row of a ResourceTable. */
export function TableRow<R extends Row>({ index, row, columns, actions, name, measure }: Props<R>) {
	const { t } = useTranslation("ui");
	const items = row && actions ? actions(row) : [];
	return (
		<Tr innerRef={measure} data-index={index} aria-rowindex={index + 2}>
			{columns.map((column) => (
				<Td key={column.key} dataLabel={column.title} modifier="truncate">
					{row ? cell(column, row) : <Skeleton screenreaderText={t("loading")} width={`${35 + ((index * 7) % 40)}%`} />}
				</Td>
			))}
			{actions && (
				<Td isActionCell className="gw-actions-cell">
					{row && items.length > 0 && (
						<ActionsColumn
							items={items}
							popperProps={{ position: "right" }}
							actionsToggle={({ onToggle, isOpen, toggleRef }) => (
								<MenuToggle
									ref={toggleRef as Ref<MenuToggleElement>}
									variant="plain"
									isExpanded={isOpen}
									onClick={onToggle}
									icon={<EllipsisVIcon />}
									aria-label={t("table.actionsOf", { name: name(row) })}
								/>
							)}
						/>
					)}
				</Td>
			)}
		</Tr>
	);
}

function cell<R extends Row>(column: Column<R>, row: R): ReactNode {
	if (column.cell) return column.cell(row);
	const value = row[column.key];
	return value === "" || value === null || value === undefined ? "–" : String(value);
}
