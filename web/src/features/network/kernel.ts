import {
	connection,
	listNetworkRoutes,
	liveRoutes,
	type NetworkLiveRoute,
	type NetworkRoute,
	page,
	useCurrent,
} from "@api";
import { queryOptions, useQuery } from "@tanstack/react-query";

const tags = ["network"];

/** Found is a list, and how long it is on the server. */
export interface Found<T> {
	rows: T[];
	total: number;
}

/** As many pages of the kernel's routes are compared; whoever has more has another tool for it. */
const pages = 5;
const pageSize = 10_000;

/** every loads a list page by page. */
async function every<T>(load: (offset: number) => Promise<Found<T>>, limit: number): Promise<Found<T>> {
	const rows: T[] = [];
	for (;;) {
		const got = await load(rows.length);
		rows.push(...got.rows);
		if (got.rows.length === 0 || rows.length >= Math.min(got.total, limit)) return { rows, total: got.total };
	}
}

/** kernelRoutes are the routes that the kernel has, in all tables. */
export const kernelRoutes = queryOptions({
	queryKey: [{ _id: "kernelRoutes", tags }],
	queryFn: ({ signal }): Promise<Found<NetworkLiveRoute>> =>
		every((offset) => page(liveRoutes({ query: { limit: pageSize, offset }, signal })), pages * pageSize),
	staleTime: 4_000,
});

/** staticRoutes are all that are configured. */
export const staticRoutes = queryOptions({
	queryKey: [{ _id: "staticRoutes", tags }],
	queryFn: ({ signal }): Promise<Found<NetworkRoute>> =>
		every((offset) => page(listNetworkRoutes({ query: { limit: 1000, offset }, signal })), pages * pageSize),
	staleTime: 4_000,
});

/** useKernelRoutes looks every five seconds; undefined as long as nobody knows. */
export function useKernelRoutes(): Found<NetworkLiveRoute> | undefined {
	const away = () => (connection.state.get() === "api" ? false : 5_000);
	return useCurrent(useQuery({ ...kernelRoutes, refetchInterval: away }));
}
