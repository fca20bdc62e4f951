import { useUrlState } from "@ui";
import type { Shared } from "@ui/LiveChart";
import { useCallback, useEffect, useId, useMemo, useState } from "react";
import { type Range, rangeOf, ranges } from "./charts";
import { between, paged, type Span, scaled, spanOf, spanText } from "./span";

/** How often a chart is drawn again: an hour moves every ten seconds, a year does not. */
const every = { hour: 10_000, day: 60_000, week: 60_000, month: 600_000, year: 600_000 } as const;

/** useUntil is the end of what is shown, in seconds; it moves on, in whole steps, so that others can share an answer. */
export function useUntil(range: Range): number {
	const step = every[range];
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), step);
		return () => clearInterval(timer);
	}, [step]);
	return (Math.floor(now / step) * step) / 1_000;
}

/** View is what all charts of a page show. */
export interface View {
	range: Range;
	span: Span;
	/** A part was chosen, which does not move on. */
	zoomed: boolean;
	shared: Shared;
	choose: (range: Range) => void;
	reset: () => void;
}

const now = () => Date.now() / 1_000;

/** useView is that of this page. It is in the address, so that it can be shared, and the way back undoes each step. */
export function useView(): View {
	const [search, set] = useUrlState();
	const range = rangeOf(search.range);
	const until = useUntil(range);
	const zoom = spanOf(search.zoom);
	const span = zoom ?? { since: until - ranges[range], until };
	const { since } = span;
	const zoomed = zoom !== undefined;
	const [pin, onPin] = useState<number>();
	const key = useId();
	const show = useCallback((next?: Span) => set({ zoom: next && spanText(next) }, { push: true }), [set]);
	const shared = useMemo<Shared>(
		() => ({
			key,
			pin,
			onPin,
			onZoom: (a, b) => show(between(a, b, now())),
			onScale: (direction) => show(scaled({ since, until: span.until }, direction, pin, now())),
			onMove: (direction) => {
				// After what is live there is nothing, and a zoom to it would stand still.
				if (direction === "back" || zoomed) show(paged({ since, until: span.until }, direction, now()));
			},
		}),
		[key, pin, show, since, span.until, zoomed],
	);
	return {
		range,
		span,
		zoomed,
		shared,
		choose: (range) => set({ range, zoom: undefined }, { push: true }),
		reset: () => show(),
	};
}
