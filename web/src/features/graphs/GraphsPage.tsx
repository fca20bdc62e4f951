import "./graphs.css";
import { listGraphSeriesOptions } from "@api";
import { ToggleGroup, ToggleGroupItem } from "@patternfly/react-core";
import { ChartLineIcon } from "@patternfly/react-icons";
import { useQuery } from "@tanstack/react-query";
import { EmptyState, Loaded, Page, ProblemNotice, useUrlState } from "@ui";
import { useTranslation } from "react-i18next";
import { chartsOf, type Range, rangeOf, ranges } from "./charts";
import { GraphCard } from "./GraphCard";

/** GraphsPage is how busy this node was, over an hour or a year. */
export default function GraphsPage() {
	const { t } = useTranslation("graphs");
	const [search, set] = useUrlState();
	const range = rangeOf(search.range);
	const query = useQuery({ ...listGraphSeriesOptions(), refetchInterval: 60_000 });
	return (
		<Page title={t("title")} description={t("lead")}>
			<ProblemNotice service="scheduler" component="graphs" />
			<ToggleGroup aria-label={t("range.label")} className="gw-graphs-ranges">
				{(Object.keys(ranges) as Range[]).map((one) => (
					<ToggleGroupItem
						key={one}
						text={t(`range.${one}`)}
						isSelected={one === range}
						onChange={() => set({ range: one }, { push: true })}
					/>
				))}
			</ToggleGroup>
			<Loaded query={query} height="20rem">
				{(series) =>
					series.length === 0 ? (
						<EmptyState title={t("empty")} icon={ChartLineIcon}>
							{t("emptyText")}
						</EmptyState>
					) : (
						<div className="gw-graphs">
							{chartsOf(series).map((chart) => (
								<GraphCard key={chart.id} chart={chart} range={range} />
							))}
						</div>
					)
				}
			</Loaded>
		</Page>
	);
}
