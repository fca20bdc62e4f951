import type { AuditEntry } from "@api";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type RefObject, useCallback, useLayoutEffect, useMemo, useState, useSyncExternalStore } from "react";
import { scroller } from "./useScrolled";

/** Heights of a closed entry in audit.css and details.css; only an opened one is measured. */
const heights = { wide: 45, narrow: 85 };

/** useNarrow follows the width at which details.css changes the rows. */
function useNarrow(): boolean {
	const media = useMemo(() => window.matchMedia("(max-width: 48rem)"), []);
	const watch = useCallback(
		(tell: () => void) => {
			media.addEventListener("change", tell);
			return () => media.removeEventListener("change", tell);
		},
		[media],
	);
	return useSyncExternalStore(watch, () => media.matches);
}

/** useVirtualEntries renders the entries near the screen. Sizes go by entry, so that new ones on top move nothing else. */
export function useVirtualEntries(entries: AuditEntry[], list: RefObject<HTMLElement | null>) {
	const [margin, setMargin] = useState(0);
	const height = useNarrow() ? heights.narrow : heights.wide;
	useLayoutEffect(() => {
		const outer = scroller();
		const inner = list.current;
		if (!outer || !inner) return;
		// Asked when something on the page changes its size, not with every frame of scrolling.
		const look = () =>
			setMargin(Math.round(inner.getBoundingClientRect().top - outer.getBoundingClientRect().top + outer.scrollTop));
		const observer = new ResizeObserver(look);
		observer.observe(inner.closest(".gw-page") ?? inner);
		look();
		return () => observer.disconnect();
	}, [list]);
	const virtual = useVirtualizer({
		count: entries.length,
		getScrollElement: scroller,
		estimateSize: useCallback(() => height, [height]),
		getItemKey: useCallback((index: number) => entries[index]?.id ?? index, [entries]),
		overscan: 8,
		scrollMargin: margin,
		initialRect: { width: 1000, height: 800 },
		useFlushSync: false,
	});
	// biome-ignore lint/correctness/useExhaustiveDependencies: another height makes all that was known wrong
	useLayoutEffect(() => virtual.measure(), [height, virtual]);
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
