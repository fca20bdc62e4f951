import { useEffect, useRef, useState } from "react";
import { formatShort } from "./format";
import type { Mark } from "./LiveChart";
import { groupsOf, worstOf } from "./marks";
import { useTranslation } from "./translation";

interface Props {
	marks: Mark[];
	from: number;
	to: number;
	onOpen: (marks: Mark[]) => void;
}

/**
 * MarkStrip is a button above the chart wherever something happened. Keys come to them by the chart itself: a page
 * of charts would otherwise have hundreds of stops.
 */
export function MarkStrip({ marks, from, to, onOpen }: Props) {
	const { t } = useTranslation("ui");
	const strip = useRef<HTMLDivElement>(null);
	const [width, setWidth] = useState(0);
	useEffect(() => {
		const element = strip.current;
		if (!element) return;
		const measure = () => setWidth(element.clientWidth);
		measure();
		const resized = new ResizeObserver(measure);
		resized.observe(element);
		return () => resized.disconnect();
	}, []);
	return (
		<div ref={strip} className="gw-marks">
			{groupsOf(marks, from, to, width).map(({ place, marks: [first, ...more] }) => {
				const all = [first!, ...more];
				const what = more.length > 0 ? t("chart.count", { count: all.length }) : first!.label;
				const words = `${formatShort(new Date(first!.at * 1000))}: ${what}`;
				return (
					<button
						key={first!.at}
						type="button"
						tabIndex={-1}
						className="gw-chart-mark"
						data-kind={worstOf(all)}
						style={{ insetInlineStart: `${place * 100}%` }}
						title={words}
						aria-label={words}
						onClick={() => onOpen(all)}
					>
						{more.length > 0 ? all.length : <span aria-hidden="true" />}
					</button>
				);
			})}
		</div>
	);
}
