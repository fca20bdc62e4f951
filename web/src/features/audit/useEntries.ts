import { type AuditEntry, searchAudit } from "@api";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import type { Filters } from "./filters";
import { type Cursor, nextOf, sizeOf } from "./pages";

export const entriesKey = (filters: Filters) => [{ _id: "searchAudit", tags: ["audit"], query: filters, pages: true }];

const none: AuditEntry[] = [];

/** useEntries searches the log, page after page. Entries never change, so nothing is asked for twice. */
export function useEntries(filters: Filters) {
	const query = useInfiniteQuery({
		queryKey: entriesKey(filters),
		queryFn: async ({ pageParam, signal }) => {
			const { data } = await searchAudit({ query: { ...filters, ...pageParam, limit: sizeOf(pageParam) }, signal });
			return data ?? none;
		},
		initialPageParam: null as Cursor | null,
		getNextPageParam: (page, _, cursor) => nextOf(page, cursor),
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 1_000,
		refetchOnWindowFocus: false,
		refetchOnReconnect: false,
		// Comparing a hundred thousand entries after each page would be felt while scrolling.
		structuralSharing: false,
	});
	const entries = useMemo(() => query.data?.pages.flat() ?? none, [query.data]);
	return { ...query, entries };
}
