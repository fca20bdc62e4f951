import type { AuditEntry } from "@api";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useState } from "react";
import { scroller } from "./useScrolled";

const wide = () => window.innerWidth > 768;

/** useVirtualEntries renders the entries near the screen. Sizes go by entry, so that new ones on top move nothing else. */
export function useVirtualEntries(entries: AuditEntry[], list: RefObject<HTMLElement | null>) {
	const [margin, setMargin] = useState(0);
	useLayoutEffect(() => {
		const outer = scroller();
		if (!outer || !list.current) return;
		const top = list.current.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop;
		if (Math.abs(top - margin) > 1) setMargin(top);
	});
	const virtual = useVirtualizer({
		count: entries.length,
		getScrollElement: scroller,
		// The heights of .gw-audit-row; a row that is as high as expected costs nothing.
		estimateSize: useCallback(() => (wide() ? 45 : 69), []),
		getItemKey: useCallback((index: number) => entries[index]?.id ?? index, [entries]),
		overscan: 12,
		scrollMargin: margin,
		initialRect: { width: 1000, height: 800 },
		useFlushSync: false,
	});
	const items = virtual.getVirtualItems();
	const first = items[0];
	const last = items.at(-1);
	return {
		items,
		measure: virtual.measureElement,
		above: first ? first.start - margin : 0,
		below: last ? virtual.getTotalSize() - (last.end - margin) : 0,
	};
}
