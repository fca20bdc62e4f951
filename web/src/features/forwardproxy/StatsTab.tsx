import { Figures, formatBytes, formatDuration, formatNumber, formatPercent, Loaded } from "@ui";
import { useTranslation } from "@ui/translation";
import { useStats } from "./requests";

/** StatsTab is what the proxy did since it started. */
export function StatsTab() {
	const { t } = useTranslation("forwardproxy");
	const share = (part: number, of: number) => (of > 0 ? part / of : 0);
	return (
		<Loaded query={useStats()} height="16rem">
			{(stats) => (
				<Figures
					label={t("tab.stats")}
					items={[
						{ title: t("stats.requests"), value: formatNumber(stats.requests) },
						{ title: t("stats.errors"), value: formatNumber(stats.errors), hint: t("stats.errorsHint") },
						{ title: t("stats.clients"), value: formatNumber(stats.clients) },
						{
							title: t("stats.hits"),
							value: stats.requests > 0 ? formatPercent(share(stats.hits, stats.requests), 1) : "–",
							share: share(stats.hits, stats.requests),
							hint: t("stats.hitsHint", { bytes: formatBytes(stats.hit_bytes_out) }),
						},
						{ title: t("stats.out"), value: formatBytes(stats.bytes_out) },
						{ title: t("stats.in"), value: formatBytes(stats.bytes_in) },
						{ title: t("stats.servers"), value: formatNumber(stats.server_requests) },
						{ title: t("stats.serverErrors"), value: formatNumber(stats.server_errors) },
						{ title: t("stats.cache"), value: formatBytes(stats.cache_bytes) },
						{
							title: t("stats.descriptors"),
							value: formatNumber(stats.open_descriptors),
							share: share(stats.open_descriptors, stats.max_descriptors),
							hint: t("stats.descriptorsHint", { most: formatNumber(stats.max_descriptors) }),
						},
						{ title: t("stats.uptime"), value: formatDuration(stats.uptime), hint: t("stats.version", stats) },
					]}
				/>
			)}
		</Loaded>
	);
}
