import type { Row } from "@api";
import { useCallback, useMemo, useState } from "react";

/** Selection is the rows that somebody ticked; they stay when the list is searched or sorted. */
export interface Selection<R extends Row> {
	rows: R[];
	has: (id: string) => boolean;
	toggle: (row: R) => void;
	set: (rows: R[]) => void;
	clear: () => void;
}

export function useSelection<R extends Row>(): Selection<R> {
	const [chosen, setChosen] = useState<ReadonlyMap<string, R>>(new Map());
	const toggle = useCallback(
		(row: R) =>
			setChosen((before) => {
				const after = new Map(before);
				if (!after.delete(row.id)) after.set(row.id, row);
				return after;
			}),
		[],
	);
	const set = useCallback((rows: R[]) => setChosen(new Map(rows.map((row) => [row.id, row]))), []);
	return useMemo(
		() => ({ rows: [...chosen.values()], has: (id) => chosen.has(id), toggle, set, clear: () => set([]) }),
		[chosen, toggle, set],
	);
}
