import { useCan } from "@api";
import {
	BusyButton,
	Figures,
	formatBytes,
	formatDuration,
	formatNumber,
	formatPercent,
	Loaded,
	toast,
	useErrorText,
} from "@ui";
import { AreaHistory } from "@ui/AreaHistory";
import { useTranslation } from "@ui/translation";
import { useFlush, useStats } from "./requests";

/** StatusTab is what the resolver did since it started, and before. */
export function StatusTab() {
	const { t } = useTranslation("dns");
	return (
		<>
			<Loaded query={useStats()} height="16rem">
				{(stats) => (
					<>
						<Figures
							label={t("tab.status")}
							items={[
								{
									title: t("stats.hit_rate"),
									value: stats.queries > 0 ? formatPercent(stats.hit_rate, 1) : "–",
									share: stats.hit_rate,
									hint: t("stats.hits", {
										hits: formatNumber(stats.cache_hits),
										misses: formatNumber(stats.cache_misses),
									}),
								},
								{ title: t("stats.queries"), value: formatNumber(stats.queries) },
								{ title: t("stats.recursive_replies"), value: formatNumber(stats.recursive_replies) },
								{ title: t("stats.prefetch"), value: formatNumber(stats.prefetch), hint: t("stats.prefetchHint") },
								{ title: t("stats.cache_memory"), value: formatBytes(stats.cache_memory) },
								{ title: t("stats.unwanted"), value: formatNumber(stats.unwanted), hint: t("stats.unwantedHint") },
								{ title: t("stats.rate_limited"), value: formatNumber(stats.rate_limited) },
								{ title: t("stats.uptime"), value: formatDuration(stats.uptime) },
							]}
						/>
						<Flush />
					</>
				)}
			</Loaded>
			<AreaHistory area="dns" />
		</>
	);
}

function Flush() {
	const { t } = useTranslation("dns");
	const text = useErrorText();
	const { mutate, isPending } = useFlush();
	const flush = () =>
		mutate(undefined, {
			onSuccess: () => toast.success(t("flush.done")),
			onError: (error) => toast.danger(t("flush.failed"), { detail: text(error) }),
		});
	if (!useCan("admin")) return null;
	return (
		<div className="gw-dns-flush">
			<BusyButton variant="secondary" busy={isPending} onClick={flush}>
				{t("flush.button")}
			</BusyButton>
			<p>{t("flush.text")}</p>
		</div>
	);
}
