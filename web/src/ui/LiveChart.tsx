import { Skeleton } from "@patternfly/react-core";
import { Suspense } from "react";
import { later } from "./later";
import { useTranslation } from "./translation";

/** Mark is something that happened, as a chart shows it. */
export interface Mark {
	/** Seconds since 1970. */
	at: number;
	kind: "change" | "fired" | "resolved" | "notice";
	label: string;
	/** Page that tells more. */
	to: string;
	search?: Record<string, string>;
}

/** Shared is what the charts of a page have in common: where one points, and how a part of the time is chosen. */
export interface Shared {
	/** Charts with the same one have one cursor. */
	key: string;
	/** Moment at which the line stands while nobody points elsewhere, in seconds since 1970. */
	pin: number | undefined;
	onPin: (at: number | undefined) => void;
	/** From and to, in seconds since 1970. */
	onZoom: (from: number, to: number) => void;
	/** A part of what is shown, or more than that. */
	onScale: (direction: "in" | "out") => void;
	/** The time before what is shown, or after it. */
	onMove: (direction: "back" | "forward") => void;
}

export interface LiveChartProps {
	/** What is shown, for screen readers. */
	label: string;
	/** Seconds since 1970, ascending. */
	times: number[];
	/** Place that is read while nobody points elsewhere; the last one if left out, which may not be over yet. */
	latest?: number;
	series: { label: string; values: (number | null)[] }[];
	/** Words a value: formatBytes, formatRate, formatPercent. */
	format: (value: number) => string;
	/** Lowest upper end of the scale, so that noise does not look like load: 1 for a share. */
	atLeast?: number;
	/** What happened, ascending: a line in the chart, and a button that tells of it. */
	marks?: Mark[];
	/** Makes it one of several charts that are read and zoomed together, also by keys. */
	shared?: Shared;
	height?: number;
}

const Plot = later("plot", () => import("./Plot"));

/** LiveChart draws time series that grow. Screen readers get the latest values as a sentence. */
export function LiveChart(props: LiveChartProps) {
	const { t } = useTranslation("ui");
	const height = props.height ?? 160;
	return (
		<figure
			className="gw-chart"
			aria-label={`${props.label}: ${valuesAt(props, props.latest ?? props.times.length - 1)}`}
		>
			<Suspense fallback={<Skeleton height={`${height}px`} screenreaderText={t("loading")} />}>
				<Plot {...props} height={height} />
			</Suspense>
		</figure>
	);
}

/** valuesAt are the values of a moment in words. */
export const valuesAt = ({ series, format }: LiveChartProps, at: number): string =>
	series
		.map(({ label, values }) => {
			const value = values[at];
			return `${label} ${value === null || value === undefined ? "–" : format(value)}`;
		})
		.join(", ");
