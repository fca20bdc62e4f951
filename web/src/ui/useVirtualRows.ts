import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useState } from "react";

/** scroller is the element that scrolls the page. */
const scroller = (): HTMLElement | null => document.getElementById("main");

/** useVirtualRows renders, of many rows, those near the screen; the page itself scrolls. */
export function useVirtualRows(count: number, table: RefObject<HTMLElement | null>, height: number) {
	const [margin, setMargin] = useState(0);
	useLayoutEffect(() => {
		const outer = scroller();
		if (!outer || !table.current) return;
		const top = table.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop;
		if (Math.abs(top - margin) > 1) setMargin(top);
	});
	const virtual = useVirtualizer({
		count,
		getScrollElement: scroller,
		estimateSize: () => height,
		overscan: 12,
		scrollMargin: margin,
		initialRect: { width: 1000, height: 800 },
		useFlushSync: false,
	});
	const rows = virtual.getVirtualItems();
	const first = rows[0];
	const last = rows[rows.length - 1];
	return {
		rows,
		measure: virtual.measureElement,
		/** Height of what is not rendered above and below. */
		above: first ? first.start - margin : 0,
		below: last ? virtual.getTotalSize() - (last.end - margin) : 0,
	};
}
