import type { Row } from "@api";
import { Skeleton } from "@patternfly/react-core";
import { ArrowDownIcon, ArrowUpIcon, GripVerticalIcon } from "@patternfly/react-icons";
import { memo, type ReactNode } from "react";
import { formatNumber } from "../format";
import { TickBox } from "../TickBox";
import { useTranslation } from "../translation";
import type { Tick } from "../useTicks";
import type { Mover } from "./useMoves";

/** Move takes a row to another place. */
export type MoveTo = (to: number) => void;

interface Props<R extends Row, M> {
	/** Undefined while it is on its way. */
	row: R | undefined;
	more: M;
	name: (row: R) => string;
	place: number;
	of: number;
	/** It is the one being dragged. */
	held: boolean;
	measure: ((element: HTMLElement | null) => void) | undefined;
	/** Without it the order is only shown. */
	mover: Mover | undefined;
	/** Whether it is ticked; undefined where rows cannot be. */
	ticked: boolean | undefined;
	onTick: Tick<R>;
	content: (row: R, more: M) => ReactNode;
	menu: (row: R, place: number, move: MoveTo | undefined) => ReactNode;
}

function OrderedItemOf<R extends Row, M>(props: Props<R, M>) {
	const { row, more, place, of, held, measure, mover, ticked, ...given } = props;
	const { t } = useTranslation("ui");
	const name = row && given.name(row);
	const move = mover && ((to: number) => mover.move(place, to));
	return (
		<li
			ref={measure}
			data-index={place}
			data-held={held}
			aria-setsize={of}
			aria-posinset={place + 1}
			draggable={Boolean(mover && row)}
			onDragStart={(event) => {
				event.dataTransfer.effectAllowed = "move";
				event.dataTransfer.setData("text/plain", name ?? "");
				mover?.drag(place);
			}}
			onDragOver={(event) => mover?.over(event, place)}
			onDragEnd={mover?.drop}
		>
			{ticked !== undefined && (
				<span className="gw-ordered-tick">
					{row && (
						<TickBox
							label={t("bulk.one", { name })}
							ticked={ticked}
							onTick={(_, range) => given.onTick(row, place, range)}
						/>
					)}
				</span>
			)}
			<span className="gw-ordered-place">
				{mover && <GripVerticalIcon aria-hidden="true" className="gw-ordered-grip" />}
				{formatNumber(place + 1)}
			</span>
			{row ? given.content(row, more) : <Skeleton screenreaderText={t("loading")} width="60%" />}
			<span className="gw-ordered-buttons">
				{move && row && (
					<>
						<button
							type="button"
							className="gw-kebab"
							aria-label={t("order.up", { name })}
							disabled={place === 0}
							onClick={() => move(place - 1)}
						>
							<ArrowUpIcon />
						</button>
						<button
							type="button"
							className="gw-kebab"
							aria-label={t("order.down", { name })}
							disabled={place === of - 1}
							onClick={() => move(place + 1)}
						>
							<ArrowDownIcon />
						</button>
					</>
				)}
				{row && given.menu(row, place, move)}
			</span>
		</li>
	);
}

/** OrderedItem is one row of an OrderedList with all the ways to move it; it renders again only when something of it changed. */
export const OrderedItem = memo(OrderedItemOf) as typeof OrderedItemOf;
