import { getProxyDomainOptions } from "@api";
import { useQueries } from "@tanstack/react-query";
import { timesOf, valuesOf } from "@ui/history";
import { useTranslation } from "@ui/translation";
import { Chart } from "./Chart";
import { busiest, figure, namesOf } from "./traffic";
import { useSiteTraffic } from "./useTraffic";

/** BusiestSites is what is asked of the sites with the most to do; their names alone are asked for. */
export function BusiestSites({ most, format }: { most: number; format: (value: number) => string }) {
	const { t } = useTranslation("proxy");
	const points = useSiteTraffic().data?.points ?? [];
	const ids = busiest(points, namesOf(points), most);
	const sites = useQueries({
		queries: ids.map((id) => ({ ...getProxyDomainOptions({ path: { id } }), staleTime: 60_000 })),
	});
	const series = ids.map((id, place) => ({
		label: sites[place]?.data?.name ?? id.slice(0, 8),
		values: valuesOf(points, figure("requests", id)),
	}));
	return <Chart title={t("traffic.siteRequests")} times={timesOf(points)} series={series} format={format} />;
}
