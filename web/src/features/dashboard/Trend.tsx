import { LiveChart, type LiveChartProps } from "@ui";
import { type Point, spanOf, timesOf, valuesOf } from "@ui/history";
import { useTranslation } from "@ui/translation";

interface Props extends Pick<LiveChartProps, "label" | "format" | "atLeast"> {
	points: Point[];
	/** Key in the points and name of each line. */
	lines: { key: string; label: string }[];
}

/** What uPlot keeps for its axis of times, which Trend replaces by words. */
const axis = 50;
const height = 92;

/** Trend is the last minutes as lines; the values at a moment show on hover. */
export function Trend({ points, lines, ...rest }: Props) {
	const { t } = useTranslation("dashboard");
	return (
		<div className="gw-trend">
			<div className="gw-trend-clip">
				<LiveChart
					{...rest}
					times={timesOf(points)}
					series={lines.map(({ key, label }) => ({ label, values: valuesOf(points, key) }))}
					height={height + axis}
				/>
			</div>
			<p className="gw-trend-span" aria-hidden="true">
				<span>{t("trend.from", { count: spanOf(points) / 60 })}</span>
				<span>{t("trend.to")}</span>
			</p>
		</div>
	);
}
