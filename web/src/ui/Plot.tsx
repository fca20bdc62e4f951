import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { formatClock, formatDay, formatExact } from "./format";
import type { LiveChartProps, Mark } from "./LiveChart";
import { scaleOf } from "./scale";
import { useDark } from "./theme";

const lines = ["--gw-chart-1", "--gw-chart-2", "--gw-chart-3", "--gw-chart-4", "--gw-chart-5"];

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function options(
	{ series, format, atLeast = 0, height = 160 }: LiveChartProps,
	width: number,
	timeLabel: string,
	marks: () => Mark[],
): uPlot.Options {
	const axis = {
		stroke: token("--pf-t--global--text--color--subtle"),
		font: "11px Inter Variable, sans-serif",
		ticks: { show: false },
	};
	const grid = { stroke: token("--gw-chart-grid"), width: 1 };
	return {
		width,
		height,
		padding: [8, 8, 0, 0],
		legend: { show: true, live: true, markers: { width: 0, fill: (_, i) => token(lines[(i - 1) % lines.length]!) } },
		cursor: { y: false, points: { size: 6 }, drag: { setScale: false } },
		hooks: { setCursor: [showLatest], setData: [showLatest], draw: [(plot) => drawMarks(plot, marks())] },
		scales: { y: { range: (_, min, max) => scaleOf(min, max, atLeast) } },
		axes: [
			{ ...axis, grid: { show: false }, space: 70, values: (_, splits) => clock(splits) },
			{ ...axis, grid, size: 70, space: 28, values: (_, splits) => splits.map(format) },
		],
		series: [
			{ label: timeLabel, value: (u, at) => (at === null ? "–" : `${moment(u, at)}${told(u, at, marks())}`) },
			...series.map(({ label }, i) => {
				const stroke = token(lines[i % lines.length]!);
				return {
					label,
					stroke,
					width: 1.75,
					fill: series.length === 1 ? `${stroke}22` : undefined,
					points: { show: false },
					value: (_: uPlot, value: number | null) => (value === null ? "–" : format(value)),
				};
			}),
		],
	};
}

/** moment words a time: of day, or with the date where the chart spans more than half of one. */
function moment({ data: [times] }: uPlot, at: number): string {
	const span = (times.at(-1) ?? 0) - (times[0] ?? 0);
	return span < 43_200 ? formatClock(new Date(at * 1000), true) : formatExact(new Date(at * 1000));
}

/** drawMarks draws a line through the chart where something happened. */
function drawMarks(plot: uPlot, marks: Mark[]): void {
	const { ctx, bbox } = plot;
	ctx.save();
	ctx.strokeStyle = token("--pf-t--global--text--color--subtle");
	ctx.setLineDash([4, 4]);
	for (const { at } of marks) {
		const x = Math.round(plot.valToPos(at, "x", true));
		if (x < bbox.left || x > bbox.left + bbox.width) continue;
		ctx.beginPath();
		ctx.moveTo(x, bbox.top);
		ctx.lineTo(x, bbox.top + bbox.height);
		ctx.stroke();
	}
	ctx.restore();
}

/** told is what happened within two steps of a moment. */
function told({ data: [times] }: uPlot, at: number, marks: Mark[]): string {
	const step = (times[1] ?? 0) - (times[0] ?? 0);
	const near = marks.filter((mark) => Math.abs(mark.at - at) <= 2 * step).map(({ label }) => label);
	return near.length > 0 ? ` · ${[...new Set(near)].slice(0, 3).join(", ")}` : "";
}

/** showLatest lets the legend say what is now, while nobody points at another moment. */
function showLatest(plot: uPlot): void {
	if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: plot.data[0].length - 1 }, false);
}

/** clock words the times of the axis, with seconds where they tell two of them apart, and as days where hours do not. */
function clock(splits: number[]): string[] {
	const apart = (splits[1] ?? 0) - (splits[0] ?? 0);
	if (apart >= 43_200) return splits.map((at) => formatDay(new Date(at * 1000)));
	const close = apart < 60;
	return splits.map((at) => formatClock(new Date(at * 1000), close));
}

const dataOf = ({ times, series }: LiveChartProps) => [times, ...series.map((one) => one.values)] as uPlot.AlignedData;

/** Plot is the canvas of a LiveChart. */
export default function Plot(props: LiveChartProps) {
	const host = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot>(undefined);
	const latest = useRef(props);
	latest.current = props;
	const { t, i18n } = useTranslation("ui");
	const dark = useDark();
	const shape = `${dark} ${i18n.language} ${props.height} ${props.series.map((one) => one.label).join("\n")}`;

	// biome-ignore lint/correctness/useExhaustiveDependencies: shape stands for what makes another canvas; data goes in below.
	useEffect(() => {
		const element = host.current;
		if (!element) return;
		const made = new uPlot(
			options(latest.current, element.clientWidth || 300, t("chart.time"), () => latest.current.marks ?? []),
			dataOf(latest.current),
			element,
		);
		plot.current = made;
		const resized = new ResizeObserver(() =>
			made.setSize({ width: element.clientWidth, height: latest.current.height ?? 160 }),
		);
		resized.observe(element);
		return () => {
			resized.disconnect();
			made.destroy();
		};
	}, [shape]);

	useEffect(() => plot.current?.setData(dataOf(props)), [props]);
	return <div ref={host} aria-hidden="true" />;
}
