import { connection, recentAuditOptions, resources, resourcesQueryKey, type SysResources, servicesOptions } from "@api";
import { type QueryClient, queryOptions, useQuery } from "@tanstack/react-query";
import { type History, live } from "@ui/history";
import { everyUntil } from "@ui/service";
import { withResources } from "./rates";

/** While nobody answers we wait: the connection asks by itself, and its recovery refetches. */
const unlessAway = (seconds: number) => () => (connection.state.get() === "api" ? false : seconds * 1000);

const now = () => Date.now() / 1000;

const resourceHistory = queryOptions({
	queryKey: ["dashboard", "resources"],
	queryFn: async ({ client, queryKey, signal }): Promise<History<SysResources>> => {
		const { data } = await resources({ signal });
		client.setQueryData(resourcesQueryKey(), data);
		return withResources(known(client, queryKey), data, now());
	},
	...live,
});

const known = <T>(client: QueryClient, key: readonly unknown[]) => client.getQueryData<History<T>>(key);

/** useResources is the node's load, memory, disk and connections over the last minutes. */
export const useResources = () => useQuery(resourceHistory);

/** useServices looks at the services every ten seconds, and more often while one starts or stops. */
export const useServices = () =>
	useQuery({
		...servicesOptions(),
		staleTime: 30_000,
		refetchOnMount: "always",
		refetchInterval: (query) => unlessAway(everyUntil(10)(query) / 1000)(),
	});

/** useActivity is the newest entries of the audit log. */
export const useActivity = (limit: number) =>
	useQuery({ ...recentAuditOptions({ query: { limit } }), refetchInterval: unlessAway(10) });
