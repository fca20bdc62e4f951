import "./graphs.css";
import { listGraphSeriesOptions } from "@api";
import { ChartLineIcon } from "@patternfly/react-icons";
import { useQuery } from "@tanstack/react-query";
import { EmptyState, Loaded, Page, ProblemNotice } from "@ui";
import { useTranslation } from "@ui/translation";
import { chartsOf } from "./charts";
import { GraphCard } from "./GraphCard";
import { useMarks } from "./useMarks";
import { useView } from "./useView";
import { ViewBar } from "./ViewBar";

/** GraphsPage is how busy this node was, over an hour or a year. */
export default function GraphsPage() {
	const { t } = useTranslation("graphs");
	const view = useView();
	const marks = useMarks(view.span);
	const query = useQuery({ ...listGraphSeriesOptions(), refetchInterval: 60_000 });
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="scheduler" component="graphs" />
			<ViewBar view={view} />
			<Loaded query={query} height="20rem">
				{(series) =>
					series.length === 0 ? (
						<EmptyState title={t("empty")} icon={ChartLineIcon}>
							{t("emptyText")}
						</EmptyState>
					) : (
						<div className="gw-graphs">
							{chartsOf(series).map((chart) => (
								<GraphCard key={chart.id} chart={chart} view={view} marks={marks} />
							))}
						</div>
					)
				}
			</Loaded>
		</Page>
	);
}
