import "./ordered.css";
import { type ListQuery, type Resource, type Row, useCan } from "@api";
import { Button } from "@patternfly/react-core";
import { type ReactNode, useCallback, useRef, useState } from "react";
import { type BulkAction, BulkBar } from "../BulkBar";
import { BusyButton } from "../BusyButton";
import { Csv } from "../Csv";
import { ErrorState } from "../ErrorState";
import { fileOf } from "../fileOf";
import { LeaveGuard } from "../LeaveGuard";
import { type RowAction, RowMenu } from "../RowMenu";
import { useTranslation } from "../translation";
import { pageStart, useRows } from "../useRows";
import { tickedOf, useTicks } from "../useTicks";
import { useVirtualRows } from "../useVirtualRows";
import { Waiting } from "../Waiting";
import { OrderedHead } from "./OrderedHead";
import { type MoveTo, OrderedItem } from "./OrderedItem";
import { PlaceDialog } from "./PlaceDialog";
import { useMoves } from "./useMoves";
import { type Order, useSaveOrder } from "./useSaveOrder";

/** Heights of a row in ordered.css. */
const heights = { comfortable: 68, compact: 48 };

interface Props<R extends Row, M> {
	source: Pick<Resource<R, never>, "list" | "path" | "tag" | "name" | "component" | "risky">;
	/** Titles of what stands in a row, in its order. */
	columns: string[];
	/** Class that says how wide these are, by --gw-ordered-cells. */
	className: string;
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
	/** What can be done to a row beside moving it; undefined for who may only look. */
	actions: ((row: R) => RowAction[]) | undefined;
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
	const { t } = useTranslation("ui");
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
	const { menu, dialog } = useMenu(source.name, props.actions);
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
				<div className={`gw-ordered ${bulk.length > 0 ? "gw-ordered-ticked" : ""} ${props.className}`}>
					<OrderedHead
						columns={props.columns}
						ticked={bulk.length > 0 ? tickedOf(selection.rows.length, total) : undefined}
						onTick={tickAll}
					/>
					<ol ref={list} className="gw-ordered-list" aria-label={label} onDrop={moves.mover.drop}>
						{virtual.above > 0 && (
							<li aria-hidden="true" className="gw-ordered-space" style={{ height: virtual.above }} />
						)}
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
									menu={menu}
								/>
							);
						})}
						{virtual.below > 0 && (
							<li aria-hidden="true" className="gw-ordered-space" style={{ height: virtual.below }} />
						)}
					</ol>
				</div>
			)}
			<p role="status" className="pf-v6-screen-reader">
				{moves.said}
			</p>
			{spare > 0 && (
				<div className="gw-ordered-save">
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
			{dialog}
			<LeaveGuard when={() => spare > 0 && !saving.busy} />
		</>
	);
}

/** useMenu is the menu of a row, and the dialog that takes a row to a place by its number. */
function useMenu<R extends Row>(name: (row: R) => string, actions: ((row: R) => RowAction[]) | undefined) {
	const { t } = useTranslation("ui");
	const [moving, setMoving] = useState<{ name: string; place: number; move: MoveTo }>();
	// The menus are made anew when one is opened, not while somebody scrolls.
	const now = useRef({ name, actions });
	now.current = { name, actions };
	const changeable = Boolean(actions);
	const menu = useCallback(
		(row: R, place: number, move: MoveTo | undefined) => {
			const label = now.current.name(row);
			const items = () => [
				...(move ? [{ title: t("order.place"), onClick: () => setMoving({ name: label, place, move }) }] : []),
				...(now.current.actions?.(row) ?? []),
			];
			return changeable && <RowMenu label={t("order.actions", { name: label })} items={items} />;
		},
		[changeable, t],
	);
	const dialog = moving && (
		<PlaceDialog name={moving.name} place={moving.place} onMove={moving.move} onClose={() => setMoving(undefined)} />
	);
	return { menu, dialog };
}
