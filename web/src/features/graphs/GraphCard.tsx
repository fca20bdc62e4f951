import { type Graphs, readGraphsOptions } from "@api";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LiveChart, Loaded } from "@ui";
import type { Mark, Shared } from "@ui/LiveChart";
import { useTranslation } from "@ui/translation";
import { type Chart, endOf, formatOf, timesOf, wholeOf } from "./charts";
import { iso, type Span } from "./span";
import type { View } from "./useView";

/** useGraphs asks for series over a time: the finest samples that there are of it and that fit into the points. */
export const useGraphs = (names: string[], { since, until }: Span, points = 400) =>
	useQuery({
		...readGraphsOptions({ query: { series: names, since: iso(since), until: iso(until), points } }),
		placeholderData: keepPreviousData,
		enabled: names.length > 0,
	});

interface Props {
	chart: Chart;
	view: View;
	marks: Mark[];
}

/** GraphCard draws some series of one thing. */
export function GraphCard({ chart, view, marks }: Props) {
	const { t } = useTranslation("graphs");
	const query = useGraphs(chart.names, view.span);
	const title = t(`chart.${chart.title}`, { name: chart.link });
	return (
		<section className="gw-panel" aria-label={title}>
			<h2 className="gw-graphs-title">{title}</h2>
			<Loaded query={query} height="10rem">
				{(found) => <GraphLines chart={chart} found={found} marks={marks} shared={view.shared} />}
			</Loaded>
		</section>
	);
}

interface LinesProps {
	chart: Chart;
	/** May have series of other charts too. */
	found: Graphs;
	marks: Mark[];
	shared: Shared;
	height?: number;
}

/** GraphLines are the lines of a chart. */
export function GraphLines({ chart, found, ...rest }: LinesProps) {
	const { t } = useTranslation("graphs");
	const lines = found.series.filter(({ name }) => chart.names.includes(name));
	return (
		<LiveChart
			{...rest}
			label={t(`chart.${chart.title}`, { name: chart.link })}
			times={timesOf({ ...found, series: lines })}
			latest={Math.max(0, wholeOf(found, Date.now() / 1_000))}
			series={lines.map(({ name, avg }) => ({ label: t(`series.${endOf(name)}`), values: avg }))}
			format={formatOf(lines[0]?.unit ?? "count")}
			atLeast={chart.id === "cpu" ? 100 : 0}
		/>
	);
}
