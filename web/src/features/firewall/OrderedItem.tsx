import { Skeleton } from "@patternfly/react-core";
import { ArrowDownIcon, ArrowUpIcon, GripVerticalIcon } from "@patternfly/react-icons";
import { formatNumber } from "@ui";
import type { DragEvent, ReactNode } from "react";
import { useTranslation } from "react-i18next";

interface Props {
	/** Undefined while the row is on its way. */
	name: string | undefined;
	place: number;
	of: number;
	/** It is the one being dragged. */
	held: boolean;
	measure: ((element: HTMLElement | null) => void) | undefined;
	/** Takes it to another place; without it the order is only shown. */
	onMove: ((to: number) => void) | undefined;
	onDrag: () => void;
	onOver: (event: DragEvent) => void;
	onDrop: (event: DragEvent) => void;
	menu: ReactNode;
	children: ReactNode;
}

/** OrderedItem is one row of an OrderedList with all the ways to move it. */
export function OrderedItem({ name, place, of, held, measure, onMove, menu, children, ...drag }: Props) {
	const { t } = useTranslation("firewall");
	return (
		<li
			ref={measure}
			data-index={place}
			data-held={held}
			aria-setsize={of}
			aria-posinset={place + 1}
			draggable={Boolean(onMove)}
			onDragStart={(event) => {
				event.dataTransfer.effectAllowed = "move";
				event.dataTransfer.setData("text/plain", name ?? "");
				drag.onDrag();
			}}
			onDragOver={drag.onOver}
			onDragEnd={drag.onDrop}
		>
			<span className="gw-fw-place">
				{onMove && <GripVerticalIcon aria-hidden="true" className="gw-fw-grip" />}
				{formatNumber(place + 1)}
			</span>
			{name === undefined ? <Skeleton screenreaderText={t("loading")} width="60%" /> : children}
			<span className="gw-fw-buttons">
				{onMove && (
					<>
						<button
							type="button"
							className="gw-kebab"
							aria-label={t("order.up", { name })}
							disabled={place === 0}
							onClick={() => onMove(place - 1)}
						>
							<ArrowUpIcon />
						</button>
						<button
							type="button"
							className="gw-kebab"
							aria-label={t("order.down", { name })}
							disabled={place === of - 1}
							onClick={() => onMove(place + 1)}
						>
							<ArrowDownIcon />
						</button>
					</>
				)}
				{menu}
			</span>
		</li>
	);
}
