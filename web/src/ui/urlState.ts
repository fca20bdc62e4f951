import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

export type UrlState = Record<string, string | undefined>;

/** merge lays changes over the search parameters; empty ones leave the URL. */
export function merge(search: UrlState, change: UrlState): UrlState {
	const out: UrlState = {};
	for (const [key, value] of Object.entries({ ...search, ...change })) {
		if (value !== undefined && value !== "") out[key] = value;
	}
	return out;
}

/**
 * useUrlState keeps small state (search, sort, tab, open dialog) in the URL, so that a
 * reload, a link and the back button all know it. push adds a step to the history.
 */
export function useUrlState(): [UrlState, (change: UrlState, options?: { push?: boolean }) => void] {
	const search = useSearch({ strict: false }) as UrlState;
	const navigate = useNavigate();
	const set = useCallback(
		(change: UrlState, { push = false } = {}) => {
			const next = ((old: UrlState) => merge(old, change)) as never;
			void navigate({ to: ".", search: next, replace: !push, resetScroll: false });
		},
		[navigate],
	);
	return [search, set];
}
