import type { Row } from "@api";
import { useCallback, useMemo, useState } from "react";

/** Selection is the rows that somebody ticked. */
export interface Selection<R extends Row> {
	rows: R[];
	has: (id: string) => boolean;
	toggle: (row: R) => void;
	add: (rows: R[]) => void;
	set: (rows: R[]) => void;
	clear: () => void;
}

const byId = <R extends Row>(rows: R[]) => rows.map((row) => [row.id, row] as const);

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
	const add = useCallback((rows: R[]) => setChosen((before) => new Map([...before, ...byId(rows)])), []);
	const set = useCallback((rows: R[]) => setChosen(new Map(byId(rows))), []);
	const clear = useCallback(() => set([]), [set]);
	return useMemo(
		() => ({ rows: [...chosen.values()], has: (id) => chosen.has(id), toggle, add, set, clear }),
		[chosen, toggle, add, set, clear],
	);
}
