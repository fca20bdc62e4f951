import { type ApiError, type ListQuery, page, type Resource, type Row } from "@api";
import { useQueries } from "@tanstack/react-query";
import { useRef } from "react";

const size = 100;

type Source<R extends Row> = Pick<Resource<R, never>, "list" | "path" | "of" | "tag">;

/** Rows is the part of a long list that was loaded so far. */
export interface Rows<R> {
	/** How many there are on the server; undefined until the first answer. */
	total: number | undefined;
	/** Undefined while that row is on its way. */
	at: (index: number) => R | undefined;
	error: ApiError | null;
	/** A newer answer is on its way; what is shown belongs to the question before. */
	stale: boolean;
	refetch: () => void;
}

/** pageStart is the first row of the page that a row is on. */
export const pageStart = (index = 0) => index - (index % size);

/** pagesOf are the pages that rows from…to are on; the first is always one, it tells the total. */
export function pagesOf(from: number, to: number): number[] {
	const pages = [0];
	for (let n = Math.max(1, Math.floor(from / size)); n <= Math.floor(to / size); n++) pages.push(n);
	return pages;
}

/** useRows loads the pages of a list that are on screen, and only those: any place of a long list is one request away. */
export function useRows<R extends Row>(source: Source<R>, query: ListQuery, from: number, to: number): Rows<R> {
	const pages = pagesOf(from, to);
	const results = useQueries({
		queries: pages.map((n) => ({
			queryKey: [{ _id: source.path, of: source.of, tags: [source.tag], query, page: n }],
			queryFn: ({ signal }: { signal: AbortSignal }) =>
				page(source.list({ query: { ...query, limit: size, offset: n * size }, signal })),
		})),
	});
	const loaded = new Map(pages.map((n, i) => [n, results[i]?.data]));
	const total = loaded.get(0)?.total;
	const before = useRef({ loaded, total });
	if (total !== undefined) before.current = { loaded, total };
	const shown = total === undefined ? before.current : { loaded, total };
	return {
		total: shown.total,
		at: (index) => shown.loaded.get(Math.floor(index / size))?.rows[index % size],
		error: results[0]?.error ?? null,
		stale: total === undefined && shown.total !== undefined,
		refetch: () => void results.map((result) => result.refetch()),
	};
}
