import type { ListQuery } from "@api";
import { useCallback, useEffect, useRef, useState } from "react";
import { type UrlState, useUrlState } from "./urlState";

export interface Sort {
	field: string;
	down: boolean;
}

/** readSort understands the server's own spelling: "email", "-created_at". */
export function readSort(text: string | undefined): Sort | undefined {
	if (!text) return undefined;
	return text.startsWith("-") ? { field: text.slice(1), down: true } : { field: text, down: false };
}

export const writeSort = (sort: Sort) => (sort.down ? `-${sort.field}` : sort.field);

/** queryOf is what the server is asked, out of what the URL says. */
export function queryOf(search: UrlState, filters: string[], defaultSort?: string): ListQuery {
	const query: Record<string, string> = {};
	for (const key of ["q", "sort", ...filters]) {
		const value = search[key];
		if (value) query[key] = value;
	}
	if (!query.sort && defaultSort) query.sort = defaultSort;
	return query;
}

/** useTyped is a text that is typed, and sent into the URL after a pause. */
export function useTyped(url: string, send: (text: string) => void) {
	const [typed, setTyped] = useState(url);
	/** What is on its way into the URL: on a busy page it is there only when more has been typed. */
	const sent = useRef(new Set<string>());
	useEffect(() => {
		if (sent.current.delete(url)) return;
		// The URL changed by other means than typing: back button, cleared filters.
		sent.current.clear();
		setTyped(url);
	}, [url]);
	useEffect(() => {
		if (typed === url) return;
		const timer = setTimeout(() => {
			sent.current.add(typed);
			send(typed);
		}, 250);
		return () => clearTimeout(timer);
	}, [typed, url, send]);
	return [typed, setTyped] as const;
}

/** useTableState holds search, sort and filters of a table in the URL. Typing is put there after a pause. */
export function useTableState(filters: string[], defaultSort?: string) {
	const [search, set] = useUrlState();
	const [typed, setTyped] = useTyped(
		search.q ?? "",
		useCallback((q: string) => set({ q }), [set]),
	);
	const setSort = useCallback((sort: Sort) => set({ sort: writeSort(sort) }), [set]);
	return {
		query: queryOf(search, filters, defaultSort),
		filtered: Boolean(search.q) || filters.some((key) => search[key]),
		search,
		typed,
		setTyped,
		sort: readSort(search.sort ?? defaultSort),
		setSort,
		setFilter: (key: string, value: string | undefined) => set({ [key]: value }),
		clear: () => set({ q: undefined, ...Object.fromEntries(filters.map((key) => [key, undefined])) }),
	};
}

export type TableState = ReturnType<typeof useTableState>;
