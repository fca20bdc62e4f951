import { type ProxyStats, proxyStats } from "@api";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { type History, live } from "@ui/history";
import { withStats } from "./traffic";

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
