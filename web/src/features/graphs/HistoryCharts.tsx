import "./graphs.css";
import { listGraphSeriesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { Loaded } from "@ui";
import type { HistoryProps } from "@ui/feature";
import { useTranslation } from "@ui/translation";
import { type Chart, chartsFor, chartsOf } from "./charts";
import { GraphCard } from "./GraphCard";
import { useMarks } from "./useMarks";
import { useView } from "./useView";
import { ViewBar } from "./ViewBar";

/** HistoryCharts are the charts of one area, on its own page. What was never measured has none. */
export default function HistoryCharts(props: HistoryProps) {
	const query = useQuery({ ...listGraphSeriesOptions(), refetchInterval: 60_000 });
	return (
		<Loaded query={query} height="12rem">
			{(series) => {
				const charts = chartsFor(chartsOf(series), props);
				return charts.length > 0 && <Charts charts={charts} />;
			}}
		</Loaded>
	);
}

function Charts({ charts }: { charts: Chart[] }) {
	const { t } = useTranslation("graphs");
	const view = useView();
	const marks = useMarks(view.span);
	return (
		<section className="gw-graphs-area" aria-label={t("title")}>
			<ViewBar view={view} />
			<div className="gw-graphs">
				{charts.map((chart) => (
					<GraphCard key={chart.id} chart={chart} view={view} marks={marks} />
				))}
			</div>
		</section>
	);
}
