import { formatNumber, Loaded } from "@ui";
import { useTranslation } from "@ui/translation";
import { Chart } from "./Chart";
import { type Day, dayOf } from "./day";
import { useDay } from "./requests";

/** SiteTraffic is what was asked of one site during the last day. */
export function SiteTraffic({ site }: { site: string }) {
	return (
		<Loaded query={useDay(site)} height="24rem">
			{(moments) => <Charts day={dayOf(moments, Date.now() / 1000)} />}
		</Loaded>
	);
}

const small = (value: number) => formatNumber(value, value < 10 ? 2 : 0);
const duration = (value: number) => `${formatNumber(value)} ms`;

function Charts({ day }: { day: Day }) {
	const { t } = useTranslation("proxy");
	const { times, requests, clientErrors, errors, time } = day;
	return (
		<>
			<p className="gw-proxy-lead gw-proxy-notice">{t("traffic.day", { requests: formatNumber(day.total) })}</p>
			<div className="gw-proxy-charts">
				<Chart
					title={t("traffic.requests")}
					times={times}
					series={[{ label: t("traffic.all"), values: requests }]}
					format={small}
					atLeast={0.1}
				/>
				<Chart
					title={t("traffic.errors")}
					times={times}
					series={[
						{ label: t("traffic.clientErrors"), values: clientErrors },
						{ label: t("traffic.serverErrors"), values: errors },
					]}
					format={small}
					atLeast={0.1}
				/>
				<Chart
					title={t("traffic.poolTime")}
					times={times}
					series={[{ label: t("traffic.average"), values: time }]}
					format={duration}
					atLeast={10}
				/>
			</div>
		</>
	);
}
