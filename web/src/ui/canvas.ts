import type uPlot from "uplot";
import { formatClock, formatDay, formatExact } from "./format";
import type { LiveChartProps, Mark } from "./LiveChart";
import { groupsOf, indexOf, near, worstOf } from "./marks";
import { scaleOf } from "./scale";

const lines = ["--gw-chart-1", "--gw-chart-2", "--gw-chart-3", "--gw-chart-4", "--gw-chart-5"];

const token = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** Now are the properties as they are when something is drawn or pressed. */
type Now = () => LiveChartProps;

/** options are those of the canvas; what may change later is asked for by now. */
export function options(now: Now, width: number, timeLabel: string): uPlot.Options {
	const { series, format, atLeast = 0, height = 160, shared } = now();
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
		cursor: {
			y: false,
			points: { size: 6 },
			// A shaking hand that clicks does not drag.
			drag: { x: Boolean(shared), y: false, setScale: false, dist: shaking, click: () => {} },
			sync: shared && { key: shared.key, scales: ["x", null] },
		},
		hooks: {
			setCursor: [(plot) => showPinned(plot, now())],
			setData: [(plot) => showPinned(plot, now())],
			setSelect: [(plot) => zoom(plot, now())],
			draw: [(plot) => drawMarks(plot, now())],
			ready: [(plot) => shared && listen(plot, now)],
		},
		scales: { y: { range: (_, min, max) => scaleOf(min, max, atLeast) } },
		axes: [
			{ ...axis, grid: { show: false }, space: 70, values: (_, splits) => clock(splits) },
			{ ...axis, grid, size: 70, space: 28, values: (_, splits) => splits.map(format) },
		],
		series: [
			{
				label: timeLabel,
				value: (u, at) => (!Number.isFinite(at) ? "–" : `${moment(u, at)}${told(u, at, now().marks)}`),
			},
			...series.map(({ label }, i) => {
				const stroke = token(lines[i % lines.length]!);
				return {
					label,
					stroke,
					width: 1.75,
					fill: series.length === 1 ? `${stroke}22` : undefined,
					points: { show: false },
					value: (_: uPlot, value: number | null) => (Number.isFinite(value) ? format(value!) : "–"),
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

const shaking = 5;

const colours: Record<Mark["kind"], string> = {
	change: "--pf-t--global--text--color--subtle",
	notice: "--pf-t--global--text--color--subtle",
	fired: "--pf-t--global--color--status--danger--default",
	resolved: "--pf-t--global--color--status--success--default",
};

/** drawMarks draws a line through the chart where something happened, and a whole one at the moment that is held. */
function drawMarks(plot: uPlot, { times, marks = [], shared }: LiveChartProps): void {
	const { ctx } = plot;
	ctx.save();
	ctx.setLineDash([4, 4]);
	// As the buttons above stand: a busy day would be a wall of lines.
	const [from, to] = [times[0] ?? 0, times.at(-1) ?? 0];
	for (const { place, marks: some } of groupsOf(marks, from, to, plot.over.clientWidth))
		drawLine(plot, from + place * (to - from), token(colours[worstOf(some)]));
	ctx.setLineDash([]);
	if (shared?.pin !== undefined) drawLine(plot, shared.pin, token("--pf-t--global--color--brand--default"));
	ctx.restore();
}

function drawLine(plot: uPlot, at: number, colour: string): void {
	const { ctx, bbox } = plot;
	const x = Math.round(plot.valToPos(at, "x", true));
	if (x < bbox.left || x > bbox.left + bbox.width) return;
	ctx.strokeStyle = colour;
	ctx.beginPath();
	ctx.moveTo(x, bbox.top);
	ctx.lineTo(x, bbox.top + bbox.height);
	ctx.stroke();
}

/** told is what happened around a moment. */
function told({ data: [times] }: uPlot, at: number, marks: Mark[] = []): string {
	const labels = near(marks, times as number[], indexOf(times as number[], at)).map(({ label }) => label);
	return labels.length > 0 ? ` · ${[...new Set(labels)].slice(0, 3).join(", ")}` : "";
}

/** placeOf is where the chart is read while nobody points at it: at the moment that is held, else at the latest. */
export function placeOf({ times, latest = times.length - 1, shared }: LiveChartProps): number {
	const { pin } = shared ?? {};
	if (pin === undefined || pin < (times[0] ?? 0) || pin > (times.at(-1) ?? 0)) return latest;
	return indexOf(times, pin);
}

/** showPinned lets the legend say what was at that place. */
function showPinned(plot: uPlot, props: LiveChartProps): void {
	if ((plot.cursor.left ?? -1) < 0) plot.setLegend({ idx: placeOf(props) }, false);
}

/** zoom tells of the part that was drawn over. The other charts draw it too, but only one was dragged in. */
function zoom(plot: uPlot, { times, shared }: LiveChartProps): void {
	const { left, width } = plot.select;
	if (width <= 0) return;
	plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
	if (!plot.cursor.event) return;
	const until = plot.posToVal(left + width, "x");
	shared?.onZoom(
		plot.posToVal(left, "x"),
		left + width < plot.over.clientWidth - shaking ? until : endOf(times, until),
	);
}

/** endOf is the end of the chart, with what happened since its last step began: its marks stand there too. */
const endOf = (times: number[], until: number) =>
	Math.max(until, Math.min(Date.now() / 1000, until + 2 * ((times[1] ?? 0) - (times[0] ?? 0))));

/** listen holds the moment that is clicked or tapped at; the end of a drag is no click. */
function listen(plot: uPlot, now: Now): void {
	let began = 0;
	plot.over.addEventListener("mousedown", (event) => {
		began = event.clientX;
	});
	plot.over.addEventListener("click", (event) => {
		if (Math.abs(event.clientX - began) >= shaking) return;
		const { times, shared } = now();
		const at = times[plot.posToIdx(event.clientX - plot.over.getBoundingClientRect().left)];
		shared?.onPin(at === shared.pin ? undefined : at);
	});
}

/** clock words the times of the axis, with seconds where they tell two of them apart, and as days where hours do not. */
function clock(splits: number[]): string[] {
	const apart = (splits[1] ?? 0) - (splits[0] ?? 0);
	if (apart >= 43_200) return splits.map((at) => formatDay(new Date(at * 1000)));
	const close = apart < 60;
	return splits.map((at) => formatClock(new Date(at * 1000), close));
}

/** dataOf is what uPlot draws. */
export const dataOf = ({ times, series }: LiveChartProps) =>
	[times, ...series.map((one) => one.values)] as uPlot.AlignedData;
