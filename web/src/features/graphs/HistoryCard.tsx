import "./graphs.css";
import { type Graphs, listGraphSeriesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Link, Loaded, useUrlState } from "@ui";
import { DashCard } from "@ui/DashCard";
import type { Mark, Shared } from "@ui/LiveChart";
import { useTranslation } from "@ui/translation";
import { useId, useMemo, useState } from "react";
import { atAGlance, type Chart, chartsOf, formatOf, latestOf, ofTheBusiest, type Range, ranges } from "./charts";
import { GraphLines, useGraphs } from "./GraphCard";
import { between, paged, type Span, scaled, spanText } from "./span";
import { useMarks } from "./useMarks";
import { useUntil } from "./useView";
import { Ranges } from "./ViewBar";

const offered: Range[] = ["hour", "day"];

/** As many points as a small chart has room for. */
const points = 150;

/** HistoryCard is how busy the node was in the last hour or day; each of its charts leads to all of them. */
export function HistoryCard() {
	const { t } = useTranslation("graphs");
	const [search, set] = useUrlState();
	const range = offered.find((one) => one === search.history) ?? "day";
	const query = useQuery({ ...listGraphSeriesOptions(), refetchInterval: 60_000 });
	return (
		<div className="gw-graphs-card">
			<DashCard title={t("card")} to="/graphs" more={t("title")}>
				<Ranges range={range} among={offered} onChoose={(history) => set({ history }, { push: true })} />
				<Loaded query={query} height="10rem">
					{(series) => {
						const charts = atAGlance(chartsOf(series));
						return charts.length > 0 ? (
							<Charts charts={charts} range={range} />
						) : (
							<p className="gw-subtle">{t("emptyText")}</p>
						);
					}}
				</Loaded>
			</DashCard>
		</div>
	);
}

/** useLeading has the charts share a line; whoever zooms is led to where there is room for it. */
function useLeading(range: Range, { since, until }: Span): Shared {
	const navigate = useNavigate();
	const key = useId();
	const [pin, onPin] = useState<number>();
	return useMemo(() => {
		const lead = (span: Span) => void navigate({ to: "/graphs", search: { range, zoom: spanText(span) } as never });
		const now = () => Date.now() / 1_000;
		return {
			key,
			pin,
			onPin,
			onZoom: (a, b) => lead(between(a, b, now())),
			onScale: (direction) => lead(scaled({ since, until }, direction, pin, now())),
			onMove: (direction) => {
				const span = paged({ since, until }, direction, now());
				if (span) lead(span);
			},
		};
	}, [navigate, key, pin, range, since, until]);
}

function Charts({ charts, range }: { charts: Chart[]; range: Range }) {
	const until = useUntil(range);
	const span = { since: until - ranges[range], until };
	const query = useGraphs(
		charts.flatMap(({ names }) => names),
		span,
		points,
	);
	const marks = useMarks(span);
	const shared = useLeading(range, span);
	return (
		<Loaded query={query} height="10rem">
			{(found) => (
				<div className="gw-graphs-small">
					{ofTheBusiest(charts, found).map((chart) => (
						<Small key={chart.id} chart={chart} found={found} range={range} marks={marks} shared={shared} />
					))}
				</div>
			)}
		</Loaded>
	);
}

interface SmallProps {
	chart: Chart;
	found: Graphs;
	range: Range;
	marks: Mark[];
	shared: Shared;
}

function Small({ chart, range, ...rest }: SmallProps) {
	const { t } = useTranslation("graphs");
	const now = latestOf(chart, rest.found, Date.now() / 1_000);
	return (
		<section>
			<h3 className="gw-graphs-title">
				<Link to="/graphs" search={{ range }}>
					{t(`chart.${chart.title}`, { name: chart.link })}
				</Link>{" "}
				<span className="gw-graphs-now">{now ? formatOf(now.unit)(now.value) : "–"}</span>
			</h3>
			<GraphLines {...rest} chart={chart} height={120} />
		</section>
	);
}
