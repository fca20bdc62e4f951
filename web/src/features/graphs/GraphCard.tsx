import { readGraphsOptions } from "@api";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { LiveChart, Loaded } from "@ui";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { type Chart, endOf, formatOf, type Range, ranges, timesOf } from "./charts";
import { useMarks } from "./useMarks";

/** How often a chart is drawn again: an hour moves every ten seconds, a year does not. */
const every = { hour: 10_000, day: 60_000, week: 60_000, month: 600_000, year: 600_000 } as const;

/** useUntil is the end of what is shown; it moves on, in whole steps, so that others can share an answer. */
function useUntil(range: Range): number {
	const step = every[range];
	const [now, setNow] = useState(() => Date.now());
	useEffect(() => {
		setNow(Date.now());
		const timer = setInterval(() => setNow(Date.now()), step);
		return () => clearInterval(timer);
	}, [step]);
	return Math.floor(now / step) * step;
}

/** GraphCard draws some series of one thing. */
export function GraphCard({ chart, range }: { chart: Chart; range: Range }) {
	const { t } = useTranslation("graphs");
	const until = useUntil(range);
	const marks = useMarks(until, range);
	const query = useQuery({
		...readGraphsOptions({
			query: {
				series: chart.names,
				since: new Date(until - ranges[range] * 1_000).toISOString(),
				until: new Date(until).toISOString(),
				points: 400,
			},
		}),
		placeholderData: keepPreviousData,
	});
	const title = t(`chart.${chart.title}`, { name: chart.link });
	return (
		<section className="gw-panel" aria-label={title}>
			<h2 className="gw-graphs-title">{title}</h2>
			<Loaded query={query} height="10rem">
				{(found) => (
					<LiveChart
						label={title}
						times={timesOf(found)}
						series={found.series.map(({ name, avg }) => ({ label: t(`series.${endOf(name)}`), values: avg }))}
						format={formatOf(found.series[0]?.unit ?? "count")}
						atLeast={chart.id === "cpu" ? 100 : 0}
						marks={marks}
					/>
				)}
			</Loaded>
		</section>
	);
}
