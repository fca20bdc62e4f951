import { Skeleton } from "@patternfly/react-core";
import { Suspense } from "react";
import { useTranslation } from "react-i18next";
import { later } from "./later";

export interface Mark {
	at: number;
	label: string;
}

export interface LiveChartProps {
	/** What is shown, for screen readers. */
	label: string;
	/** Seconds since 1970, ascending. */
	times: number[];
	series: { label: string; values: (number | null)[] }[];
	/** Words a value: formatBytes, formatRate, formatPercent. */
	format: (value: number) => string;
	/** Lowest upper end of the scale, so that noise does not look like load: 1 for a share. */
	atLeast?: number;
	/** What happened at a moment, in seconds since 1970: a line in the chart, told to who points there. */
	marks?: Mark[];
	height?: number;
}

const Plot = later("plot", () => import("./Plot"));

/** LiveChart draws time series that grow. Screen readers get the latest values as a sentence. */
export function LiveChart(props: LiveChartProps) {
	const { t } = useTranslation("ui");
	const latest = props.series.map(({ label, values }) => {
		const value = values.at(-1);
		return `${label} ${value === null || value === undefined ? "–" : props.format(value)}`;
	});
	const height = props.height ?? 160;
	return (
		<figure className="gw-chart" aria-label={`${props.label}: ${latest.join(", ")}`}>
			<Suspense fallback={<Skeleton height={`${height}px`} screenreaderText={t("loading")} />}>
				<Plot {...props} height={height} />
			</Suspense>
		</figure>
	);
}
