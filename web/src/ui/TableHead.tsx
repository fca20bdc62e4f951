import "@patternfly/react-styles/css/components/Table/table.css";
import "@patternfly/react-styles/css/components/Table/table-grid.css";
import "./table.css";
import type { Row } from "@api";
import { ArrowsAltVIcon, LongArrowAltDownIcon, LongArrowAltUpIcon } from "@patternfly/react-icons";
import { memo } from "react";
import type { Column } from "./ResourceTable";
import { TickBox } from "./TickBox";
import { useTranslation } from "./translation";
import type { Sort } from "./useTableState";

interface Props<R extends Row> {
	columns: Column<R>[];
	/** Field that sorts now. */
	sort: string | undefined;
	down: boolean;
	onSort: (sort: Sort) => void;
	withActions: boolean;
	/** How many rows are ticked; undefined where none can be. */
	ticked?: "none" | "some" | "all";
	onTick: (on: boolean) => void;
}

/** lettersWide has room for so many letters, and for what is beside them: the cell's padding, and how it is sorted. */
const lettersWide = (letters: number) => `calc(${letters} * 0.55rem + 1.5rem)`;

// PatternFly's look without its components, which measure themselves at every scroll.
function TableHeadOf<R extends Row>({ columns, sort, down, onSort, withActions, ticked, onTick }: Props<R>) {
	const { t } = useTranslation("ui");
	return (
		<thead className="pf-v6-c-table__thead">
			<tr aria-rowindex={1} className="pf-v6-c-table__tr">
				{ticked && (
					<th scope="col" className="pf-v6-c-table__th gw-tick-cell">
						<TickBox label={t("bulk.all")} ticked={ticked === "all"} partly={ticked === "some"} onTick={onTick} />
					</th>
				)}
				{columns.map(({ key, title, width, letters, sortable }) => {
					const sorted = key === sort;
					const Icon = sorted ? (down ? LongArrowAltDownIcon : LongArrowAltUpIcon) : ArrowsAltVIcon;
					const look = `pf-v6-c-table__th${sortable ? " pf-v6-c-table__sort" : ""}${sorted ? " pf-m-selected" : ""}`;
					const order = sorted ? (down ? "descending" : "ascending") : sortable ? "none" : undefined;
					return (
						<th
							key={key}
							scope="col"
							className={look}
							aria-sort={order}
							style={{ width: letters ? lettersWide(letters) : width && `${width}%` }}
						>
							{sortable ? (
								<button
									type="button"
									className="pf-v6-c-table__button"
									onClick={() => onSort({ field: key, down: sorted && !down })}
								>
									<span className="pf-v6-c-table__button-content">
										<span className="pf-v6-c-table__text">{title}</span>
										<span className="pf-v6-c-table__sort-indicator">
											<Icon />
										</span>
									</span>
								</button>
							) : (
								title
							)}
						</th>
					);
				})}
				{withActions && (
					<th scope="col" className="pf-v6-c-table__th gw-actions-cell">
						<span className="pf-v6-screen-reader">{t("table.actions")}</span>
					</th>
				)}
			</tr>
		</thead>
	);
}

/** TableHead is the head of a ResourceTable; scrolling does not render it again. */
export const TableHead = memo(TableHeadOf) as typeof TableHeadOf;
