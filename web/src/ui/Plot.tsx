import { type KeyboardEvent, useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { useTranslation } from "./translation";
import "uplot/dist/uPlot.min.css";
import "./chart.css";
import { dataOf, options, placeOf } from "./canvas";
import { formatExact } from "./format";
import { type LiveChartProps, type Mark, valuesAt } from "./LiveChart";
import { MarkList } from "./MarkList";
import { MarkStrip } from "./MarkStrip";
import { moved, near } from "./marks";
import { useDark } from "./theme";

const none: Mark[] = [];

/** Plot is the canvas of a LiveChart. */
export default function Plot(props: LiveChartProps) {
	const host = useRef<HTMLDivElement>(null);
	const plot = useRef<uPlot>(undefined);
	const latest = useRef(props);
	latest.current = props;
	const { t, i18n } = useTranslation("ui");
	const dark = useDark();
	const [opened, setOpened] = useState<Mark[]>();
	const { times, marks = none } = props;
	// Where nothing was measured there is no moment to choose.
	const shared = times.length > 0 ? props.shared : undefined;
	const shape = `${dark} ${i18n.language} ${props.height} ${shared?.key} ${props.series.map((one) => one.label).join("\n")}`;

	// biome-ignore lint/correctness/useExhaustiveDependencies: shape stands for what makes another canvas; data goes in below.
	useEffect(() => {
		const element = host.current;
		if (!element) return;
		const made = new uPlot(
			options(() => latest.current, element.clientWidth || 300, t("chart.time")),
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
	if (!shared) return <div ref={host} aria-hidden="true" />;

	const place = placeOf(props);
	const pressed = (event: KeyboardEvent) => {
		if (event.ctrlKey || event.metaKey || event.altKey) return; // those are the browser's
		const next = moved(event.key, event.shiftKey, place, times, marks);
		const here = near(marks, times, place);
		if (next !== undefined) shared.onPin(times[next]);
		else if (event.key === "Enter" && here.length > 0) setOpened(here);
		else if (event.key === "+" || event.key === "-") shared.onScale(event.key === "+" ? "in" : "out");
		else if (event.key === "PageUp" || event.key === "PageDown")
			shared.onMove(event.key === "PageUp" ? "back" : "forward");
		else if (event.key === "Escape" && shared.pin !== undefined) shared.onPin(undefined);
		else return;
		event.preventDefault();
	};
	const at = times[place] ?? 0;
	return (
		<>
			<MarkStrip marks={marks} from={times[0] ?? 0} to={times.at(-1) ?? 0} onOpen={setOpened} />
			<div
				ref={host}
				className="gw-chart-field"
				role="slider"
				tabIndex={0}
				aria-label={t("chart.moment", { name: props.label })}
				aria-valuemin={times[0] ?? 0}
				aria-valuemax={times.at(-1) ?? 0}
				aria-valuenow={at}
				aria-valuetext={[
					formatExact(new Date(at * 1000)),
					valuesAt(props, place),
					...near(marks, times, place).map(({ label }) => label),
				].join(", ")}
				onKeyDown={pressed}
			/>
			{opened && <MarkList marks={opened} onClose={() => setOpened(undefined)} />}
		</>
	);
}
