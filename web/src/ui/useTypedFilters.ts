import { useEffect, useState } from "react";
import { useUrlState } from "./urlState";

/** useTypedFilters keeps filters in the URL; typing is put there after a pause. */
export function useTypedFilters(keys: readonly string[]) {
	const [search, set] = useUrlState();
	const stored = keys.map((key) => search[key] ?? "").join("\n");
	const [draft, setDraft] = useState(stored);
	const [known, setKnown] = useState(stored);
	if (stored !== known) {
		// The URL changed by other means than typing: a link, the back button.
		setKnown(stored);
		setDraft(stored);
	}
	useEffect(() => {
		if (draft === known) return;
		const values = draft.split("\n");
		const timer = setTimeout(() => {
			setKnown(values.map((value) => value.trim()).join("\n"));
			set(Object.fromEntries(keys.map((key, place) => [key, values[place]?.trim() || undefined])));
		}, 300);
		return () => clearTimeout(timer);
	}, [draft, known, keys, set]);
	const values = draft.split("\n");
	const type = (key: string, value: string) =>
		setDraft(keys.map((one, place) => (one === key ? value : (values[place] ?? ""))).join("\n"));
	return {
		keys,
		search,
		value: (key: string) => values[keys.indexOf(key)] ?? "",
		type,
		filtered: stored.trim() !== "",
		clear: () => set(Object.fromEntries(keys.map((key) => [key, undefined]))),
	};
}

export type TypedFilters = ReturnType<typeof useTypedFilters>;
