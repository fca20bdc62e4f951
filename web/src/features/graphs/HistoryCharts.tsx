import "./graphs.css";
import { listGraphSeriesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "@ui";
import type { HistoryProps } from "@ui/feature";
import { useTranslation } from "react-i18next";
import { chartsFor, chartsOf } from "./charts";
import { GraphCard } from "./GraphCard";
import { Ranges, useRange } from "./Ranges";

/** HistoryCharts are the charts of one area, on its own page. What was never measured has none. */
export default function HistoryCharts(props: HistoryProps) {
	const { t } = useTranslation("graphs");
	const range = useRange();
	const query = useQuery({ ...listGraphSeriesOptions(), refetchInterval: 60_000 });
	return (
		<Loaded query={query} height="12rem">
			{(series) => {
				const charts = chartsFor(chartsOf(series), props);
				if (charts.length === 0) return null;
				return (
					<section className="gw-graphs-area" aria-label={t("title")}>
						<Ranges />
						<div className="gw-graphs">
							{charts.map((chart) => (
								<GraphCard key={chart.id} chart={chart} range={range} />
							))}
						</div>
					</section>
				);
			}}
		</Loaded>
	);
}
