import { useUrlState } from "@ui";
import { useCallback, useEffect, useMemo, useState } from "react";
import { type Draft, draftOf, type FilterKey, type Filters, filtersOf, readFilters, same, urlOf } from "./filters";

/** useFilters keeps the filters in the URL; typing is put there after a pause. */
export function useFilters() {
	const [search, set] = useUrlState();
	const { actor, action, subject, since, until } = search;
	const filters = useMemo(
		() => readFilters({ actor, action, subject, since, until }),
		[actor, action, subject, since, until],
	);
	const [draft, setDraft] = useState<Draft>(() => draftOf(filters));
	const [known, setKnown] = useState(filters);
	if (!same(filters, known)) {
		setKnown(filters);
		// The URL changed by other means than typing: a link, the back button.
		if (!same(filters, filtersOf(draft))) setDraft(draftOf(filters));
	}
	useEffect(() => {
		const wanted = filtersOf(draft);
		if (same(wanted, known)) return;
		const timer = setTimeout(() => set(urlOf(wanted)), 300);
		return () => clearTimeout(timer);
	}, [draft, known, set]);
	const apply = useCallback(
		(next: Filters) => {
			setDraft(draftOf(next));
			set(urlOf(next), { push: true });
		},
		[set],
	);
	const type = (key: FilterKey, value: string) => setDraft((old) => ({ ...old, [key]: value }));
	return { filters, draft, type, apply };
}
