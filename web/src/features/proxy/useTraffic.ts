import { type ProxyStats, type ProxyTraffic, proxyStats, proxyTraffic } from "@api";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type History, live } from "@ui/history";
import { withStats, withTraffic } from "./traffic";

const history = queryOptions({
	queryKey: ["proxy", "traffic"],
	queryFn: async ({ client, queryKey, signal }): Promise<History<ProxyStats>> => {
		const { data } = await proxyStats({ signal });
		return withStats(client.getQueryData(queryKey), data, Date.now() / 1000);
	},
	...live,
});

/** useTraffic is what went through the proxy over the last minutes. */
export const useTraffic = () => useQuery(history);

const sites = queryOptions({
	queryKey: ["proxy", "sites"],
	queryFn: async ({ client, queryKey, signal }): Promise<History<ProxyTraffic[]>> => {
		const { data } = await proxyTraffic({ signal });
		return withTraffic(client.getQueryData(queryKey), data.sites, Date.now() / 1000);
	},
	...live,
});

/** useSiteTraffic is what was asked of each site over the last minutes. */
export const useSiteTraffic = () => useQuery(sites);
