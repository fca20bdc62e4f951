import "./ordered.css";
import { type ListQuery, type Resource, type Row, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { type BulkAction, BusyButton, Csv, ErrorState, LeaveGuard, Waiting } from "@ui";
import { BulkBar } from "@ui/BulkBar";
import { fileOf } from "@ui/fileOf";
import { pageStart, useRows } from "@ui/useRows";
import { tickedOf, useTicks } from "@ui/useTicks";
import { useVirtualRows } from "@ui/useVirtualRows";
import { type ReactNode, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import { OrderedHead } from "./OrderedHead";
import { type MoveTo, OrderedItem } from "./OrderedItem";
import { useMoves } from "./useMoves";
import { type Order, useSaveOrder } from "./useSaveOrder";

/** Heights of a row in firewall.css. */
const heights = { comfortable: 68, compact: 48 };

interface Props<R extends Row, M> {
	source: Pick<Resource<R, never>, "list" | "path" | "tag" | "name" | "component" | "risky">;
	/** Titles of what stands in a row, in its order. */
	columns: string[];
	/** What can be done to many rows at once; with any, rows can be ticked. */
	bulk?: BulkAction<R>[];
	/** What is asked for; the order is always that of the rules. */
	query: ListQuery;
	label: string;
	order: Order;
	/** A hook: what else has to be known of the rows on screen. */
	useMore: (shown: R[]) => M;
	/** What stands in a row between its place and its buttons. It stays the same function, or every row is rendered again. */
	content: (row: R, more: M) => ReactNode;
	/** Stays the same as well. */
	menu: (row: R, place: number, move: MoveTo | undefined) => ReactNode;
	/** Stands above the rows, and is told how many there are; csv is the button that has them all as a file. */
	head: (total: number | undefined, stale: boolean, csv: ReactNode) => ReactNode;
	/** Stands in the place of no rows. */
	none: ReactNode;
}

/**
 * OrderedList is any number of rules in the order in which they are asked. It is changed by dragging, by the buttons
 * or by naming a place, and then saved as a whole; rows are loaded where they are looked at.
 */
export function OrderedList<R extends Row, M>(props: Props<R, M>) {
	const { source, label, order, useMore, bulk = [] } = props;
	const { t } = useTranslation("firewall");
	const admin = useCan("admin");
	const query = { ...props.query, sort: "priority" };
	const [seen, setSeen] = useState<[number, number]>([0, 0]);
	const rows = useRows(source, query, ...seen);
	const moves = useMoves(rows, source.name);
	const saving = useSaveOrder(source, query, order);
	const { selection, all, tick, tickAll } = useTicks(source, query, moves.at);
	const list = useRef<HTMLOListElement>(null);
	const total = rows.total ?? 0;
	const virtual = useVirtualRows(total, list, heights);
	const first = virtual.rows[0]?.index ?? 0;
	const last = virtual.rows.at(-1)?.index ?? 0;
	// A row that was moved brings its neighbours from the page beside.
	const spare = moves.list.length;
	const range: [number, number] = [pageStart(Math.max(0, first - spare)), pageStart(last + spare)];
	if (range[0] !== seen[0] || range[1] !== seen[1]) setSeen(range);
	const more = useMore(virtual.rows.flatMap(({ index }) => moves.at(index) ?? []));
	const save = async () => {
		if (await saving.save(moves.list)) moves.forget();
	};

	if (rows.error && rows.total === undefined) return <ErrorState error={rows.error} retry={rows.refetch} />;
	return (
		<>
			{props.head(rows.total, rows.stale, <Csv name={fileOf(source.path)} rows={all} />)}
			{rows.total === undefined && <Waiting height="16rem" />}
			{rows.total === 0 && props.none}
			{/* An order that is not saved yet comes first: what is done to many loads the list anew. */}
			{bulk.length > 0 && spare === 0 && <BulkBar resource={source} selection={selection} actions={bulk} all={all} />}
			{total > 0 && (
				<div className={bulk.length > 0 ? "gw-fw-ordered gw-fw-ticked" : "gw-fw-ordered"}>
					<OrderedHead
						columns={props.columns}
						ticked={bulk.length > 0 ? tickedOf(selection.rows.length, total) : undefined}
						onTick={tickAll}
					/>
					<ol ref={list} className="gw-fw-list" aria-label={label} onDrop={moves.mover.drop}>
						{virtual.above > 0 && <li aria-hidden="true" className="gw-fw-space" style={{ height: virtual.above }} />}
						{virtual.rows.map(({ index }) => {
							const row = moves.at(index);
							return (
								<OrderedItem
									key={row?.id ?? `place ${index}`}
									row={row}
									more={more}
									name={source.name}
									place={index}
									of={total}
									held={moves.dragged === index}
									measure={virtual.measure}
									mover={admin ? moves.mover : undefined}
									ticked={bulk.length > 0 ? selection.has(row?.id ?? "") : undefined}
									onTick={tick}
									content={props.content}
									menu={props.menu}
								/>
							);
						})}
						{virtual.below > 0 && <li aria-hidden="true" className="gw-fw-space" style={{ height: virtual.below }} />}
					</ol>
				</div>
			)}
			<p role="status" className="pf-v6-screen-reader">
				{moves.said}
			</p>
			{spare > 0 && (
				<div className="gw-fw-save">
					<span>{t("order.unsaved", { count: spare })}</span>
					<BusyButton busy={saving.busy} onClick={() => void save()}>
						{t("order.save")}
					</BusyButton>
					<Button variant="link" isDisabled={saving.busy} onClick={moves.forget}>
						{t("order.discard")}
					</Button>
				</div>
			)}
			{saving.dialog}
			<LeaveGuard when={() => spare > 0 && !saving.busy} />
		</>
	);
}
