import type { ProxyFrontendStat, ProxyStats } from "@api";
import { formatNumber, formatRate, Loaded, Notice, sentence, serverText } from "@ui";
import { AreaHistory } from "@ui/AreaHistory";
import { type History, type Point, timesOf, valuesOf } from "@ui/history";
import { useTranslation } from "@ui/translation";
import { BusiestSites } from "./BusiestSites";
import { Chart } from "./Chart";
import { usePools } from "./requests";
import { busiest, figure, isPublic, namesOf } from "./traffic";
import { useTraffic } from "./useTraffic";

const most = 5;

/** TrafficTab is what goes through the proxy right now, by the ports and by the pools, and what went before. */
export function TrafficTab() {
	return (
		<>
			<Loaded query={useTraffic()} height="24rem">
				{(history) => <Charts history={history} />}
			</Loaded>
			<AreaHistory area="proxy" />
		</>
	);
}

function Charts({ history: { points, last } }: { history: History<ProxyStats> }) {
	const { t } = useTranslation("proxy");
	const pools = usePools();
	const ports = (last?.frontends ?? []).filter(isPublic);
	const active = busiest(points, namesOf(points), most);
	const poolName = (id: string) => pools?.find((pool) => pool.id === id)?.name ?? id.slice(0, 8);
	const byPort = (what: string) =>
		ports.slice(0, most).map((one) => ({ key: figure(what, one.name), label: portName(one, t) }));
	const byPool = (what: string) => active.map((id) => ({ key: figure(what, id), label: poolName(id) }));
	const bytes = ["in", "out"].map((what) => ({ what, label: t(`traffic.${what}`) }));
	const small = (value: number) => formatNumber(value, value < 10 ? 1 : 0);
	const time = (value: number) => `${formatNumber(value)} ms`;
	const times = timesOf(points);
	return (
		<>
			{last?.error && (
				<div className="gw-proxy-notice">
					<Notice kind="warning" title={sentence(serverText({ message: last.error, ...last.error_words }))} />
				</div>
			)}
			<div className="gw-proxy-charts">
				<Chart
					title={t("traffic.requests")}
					times={times}
					series={linesOf(points, byPort("requests"))}
					format={small}
				/>
				<Chart
					title={t("traffic.sessions")}
					times={times}
					series={linesOf(points, byPort("sessions"))}
					format={small}
				/>
				<Chart
					title={t("traffic.bytes")}
					times={times}
					series={linesOf(
						withSums(points, ports),
						bytes.map(({ what, label }) => ({ key: figure(what, "all"), label })),
					)}
					format={formatRate}
					atLeast={1_250}
				/>
				<BusiestSites most={most} format={small} />
				<Chart
					title={t("traffic.poolRequests")}
					times={times}
					series={linesOf(points, byPool("requests"))}
					format={small}
				/>
				<Chart
					title={t("traffic.poolErrors")}
					times={times}
					series={linesOf(points, byPool("errors"))}
					format={small}
				/>
				<Chart
					title={t("traffic.poolTime")}
					times={times}
					series={linesOf(points, byPool("time"))}
					format={time}
					atLeast={10}
				/>
			</div>
		</>
	);
}

/** linesOf are the lines of a chart, out of a history. */
const linesOf = (points: Point[], lines: { key: string; label: string }[]) =>
	lines.map(({ key, label }) => ({ label, values: valuesOf(points, key) }));

/** withSums adds what all ports carried together: which of them it was says the chart of requests. */
function withSums(points: Point[], ports: ProxyFrontendStat[]): Point[] {
	const sum = (values: Point["values"], what: string) => {
		const known = ports.map((one) => values[figure(what, one.name)] ?? null).filter((value) => value !== null);
		return known.length > 0 ? known.reduce((all, value) => all + value, 0) : null;
	};
	return points.map(({ time, values }) => ({
		time,
		values: { [figure("in", "all")]: sum(values, "in"), [figure("out", "all")]: sum(values, "out") },
	}));
}

/** portName words a frontend as operators know it: gateway_https is HTTPS, gateway_tcp_993 is TCP 993. */
function portName({ name }: ProxyFrontendStat, t: (key: string, values?: Record<string, unknown>) => string): string {
	const [, port] = name.match(/^gateway_tcp_(\d+)$/) ?? [];
	return port ? t("traffic.tcp", { port }) : name.replace(/^gateway_/, "").toUpperCase();
}
