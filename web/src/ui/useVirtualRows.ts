import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useLayoutEffect, useState } from "react";
import { type Density, useDensity } from "./density";

/** scroller is the element that scrolls the page. */
const scroller = (): HTMLElement | null => document.getElementById("main");

/** Below this width rows are cards, which differ in height; tables have rows of one height. */
const narrow = window.matchMedia("(width < 56rem)");

/** Heights of a row in pixels, as the style sheet has them. */
export type Heights = Record<Density, number>;

/** useVirtualRows renders, of many rows, those near the screen; the page itself scrolls. */
export function useVirtualRows(count: number, table: RefObject<HTMLElement | null>, heights: Heights) {
	const height = heights[useDensity()];
	const [margin, setMargin] = useState(0);
	// biome-ignore lint/correctness/useExhaustiveDependencies: what stands above the table changes with the number of rows
	useLayoutEffect(() => {
		const outer = scroller();
		if (!outer || !table.current) return;
		setMargin(table.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop);
	}, [count]);
	const virtual = useVirtualizer({
		count,
		getScrollElement: scroller,
		estimateSize: () => (narrow.matches ? height * 4 : height),
		overscan: 10,
		scrollMargin: margin,
		initialRect: { width: 1000, height: 800 },
		useFlushSync: false,
	});
	// It remembers the heights that it once estimated.
	// biome-ignore lint/correctness/useExhaustiveDependencies: only another height is a reason
	useLayoutEffect(() => virtual.measure(), [height]);
	const rows = virtual.getVirtualItems();
	const first = rows[0];
	const last = rows[rows.length - 1];
	return {
		rows,
		measure: narrow.matches ? virtual.measureElement : undefined,
		/** Height of what is not rendered above and below. */
		above: first ? first.start - margin : 0,
		below: last ? virtual.getTotalSize() - (last.end - margin) : 0,
	};
}
