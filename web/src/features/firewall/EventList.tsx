import type { PacketlogEvent } from "@api";
import { useVirtualizer } from "@tanstack/react-virtual";
import type { RowAction } from "@ui";
import { useTranslation } from "@ui/translation";
import { useCallback, useRef } from "react";
import { EventRow } from "./EventRow";
import { noIds, useNames } from "./useNames";

interface Props {
	/** Newest first. */
	events: PacketlogEvent[];
	menu: ((event: PacketlogEvent) => RowAction[]) | undefined;
	/** Told when the reader leaves the newest line, and when he is back. */
	onScrolled: (scrolled: boolean) => void;
}

/** Heights of a line in log.css. */
const heights = { wide: 41, narrow: 97 };
const columns = ["time", "action", "protocol", "packet", "interfaces", "rule", "size"];
const narrow = window.matchMedia("(width < 56rem)");

/** EventList is any number of lines of the log, of which those on screen are rendered. */
export function EventList({ events, menu, onScrolled }: Props) {
	const { t } = useTranslation("firewall");
	const box = useRef<HTMLElement>(null);
	const virtual = useVirtualizer({
		count: events.length,
		getScrollElement: () => box.current,
		estimateSize: () => (narrow.matches ? heights.narrow : heights.wide),
		getItemKey: useCallback((index: number) => events[index]?.seq ?? index, [events]),
		overscan: 10,
		initialRect: { width: 1000, height: 600 },
		useFlushSync: false,
	});
	const items = virtual.getVirtualItems();
	const rules = items.flatMap(({ index }) => events[index]?.rule_id ?? []);
	const names = useNames({ ...noIds, rule: rules });
	return (
		<section
			ref={box}
			className="gw-fw-events gw-panel"
			aria-label={t("log.title")}
			// biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
			tabIndex={0}
			onScroll={() => onScrolled((box.current?.scrollTop ?? 0) > 20)}
		>
			<div className="gw-fw-eventhead" aria-hidden="true">
				{columns.map((one) => (
					<span key={one}>{t(`log.column.${one}`)}</span>
				))}
			</div>
			<ol style={{ height: virtual.getTotalSize() }}>
				{items.map(({ index, key, start }) => {
					const event = events[index];
					return (
						event && (
							<EventRow
								key={key}
								event={event}
								top={start}
								rule={event.rule_id ? names.get(event.rule_id) : undefined}
								menu={menu}
							/>
						)
					);
				})}
			</ol>
		</section>
	);
}
