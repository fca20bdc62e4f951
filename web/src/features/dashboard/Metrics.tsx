import type { SysResources } from "@api";
import { formatBytes, formatNumber, formatPercent } from "@ui";
import type { History } from "@ui/history";
import { latest } from "@ui/history";
import { useTranslation } from "@ui/translation";
import { MetricCard } from "./MetricCard";

const percent = (value: number) => formatPercent(value);
const whole = (value: number) => formatNumber(value);

/** Metrics are the figures of the node itself. Connections are there only while the kernel tracks them. */
export function Metrics({ history }: { history: History<SysResources> }) {
	const { t } = useTranslation("dashboard");
	const { last, points } = history;
	if (!last) return null;
	const { memory, disk, conntrack } = last;
	const now = (line: string) => {
		const value = latest(points, line);
		return value === null ? "–" : formatPercent(value);
	};
	const of = (used: number, total: number) => t("of", { used: formatBytes(used), total: formatBytes(total) });
	const shared = { points, format: percent, atLeast: 1 };
	return (
		<div className="gw-metrics">
			<MetricCard
				{...shared}
				title={t("metric.cpu")}
				line="cpu"
				value={now("cpu")}
				detail={t("cores", { count: last.num_cpus })}
			/>
			<MetricCard
				{...shared}
				title={t("metric.memory")}
				line="memory"
				value={now("memory")}
				detail={of(memory.used, memory.total)}
			/>
			<MetricCard
				{...shared}
				title={t("metric.disk")}
				line="disk"
				value={now("disk")}
				detail={of(disk.used, disk.used + disk.free)}
			/>
			{conntrack && (
				<MetricCard
					points={points}
					title={t("metric.conntrack")}
					line="conntrack"
					format={whole}
					atLeast={10}
					value={formatNumber(conntrack.count)}
					detail={t("conntrackOf", {
						share: formatPercent(conntrack.max > 0 ? conntrack.count / conntrack.max : 0),
						max: formatNumber(conntrack.max),
					})}
				/>
			)}
		</div>
	);
}
