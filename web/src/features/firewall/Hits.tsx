import type { FirewallCounter } from "@api";
import { formatBytes, formatNumber, Time } from "@ui";
import { useTranslation } from "@ui/translation";
import { hitShare } from "./rule";

interface Props {
	counter: FirewallCounter | undefined;
	/** The most that any rule has. */
	most: number;
	/** The counters were read; a rule without one was never hit. */
	known: boolean;
}

/** Hits is how often a rule took a packet: a bar beside the number, and when it last did. */
export function Hits({ counter, most, known }: Props) {
	const { t } = useTranslation("firewall");
	if (!known) return <span className="gw-fw-hits" />;
	const { packets = 0, bytes = 0, last_hit } = counter ?? {};
	return (
		<span className="gw-fw-hits" title={formatBytes(bytes)}>
			<span className="gw-fw-bar" aria-hidden="true">
				<span style={{ width: `${Math.round(hitShare(packets, most) * 100)}%` }} />
			</span>
			<span>{packets === 0 ? t("hits.none") : t("hits.count", { count: packets, shown: formatNumber(packets) })}</span>
			{last_hit && (
				<span className="gw-fw-last">
					{t("hits.last")} <Time value={last_hit} />
				</span>
			)}
		</span>
	);
}
