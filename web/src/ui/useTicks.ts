import { everyRow, type ListQuery, type Resource, type Row } from "@api";
import { useCallback, useEffect, useRef } from "react";
import { toast } from "./toast";
import { useTranslation } from "./translation";
import { useSelection } from "./useSelection";

/** Tick ticks a row, or takes the tick away; with range, all rows from the last one that was ticked. */
export type Tick<R> = (row: R, index: number, range: boolean) => void;

/**
 * useTicks lets rows of a long list be ticked: one by one, a range, or all that the search and the filters match, also
 * those that are not loaded yet.
 */
export function useTicks<R extends Row>(
	resource: Pick<Resource<R, never>, "list">,
	query: ListQuery,
	at: (index: number) => R | undefined,
) {
	const { t } = useTranslation("ui");
	const selection = useSelection<R>();
	const { set, add, toggle, clear } = selection;
	const asked = JSON.stringify(query);
	const all = useCallback(() => everyRow(resource, JSON.parse(asked) as Record<string, unknown>), [resource, asked]);
	const last = useRef<number>(undefined);
	const now = useRef({ at, asked });
	now.current.at = at;
	// What is ticked is what one sees: another search, another selection.
	useEffect(() => {
		if (now.current.asked === asked) return;
		now.current.asked = asked;
		last.current = undefined;
		clear();
	}, [asked, clear]);
	const load = useCallback(
		(take: (rows: R[]) => void) =>
			all().then(
				(rows) => now.current.asked === asked && take(rows),
				() => toast.danger(t("table.csvFailed")),
			),
		[all, asked, t],
	);
	const tickAll = useCallback((on: boolean) => void (on ? load(set) : clear()), [load, set, clear]);
	const tick: Tick<R> = useCallback(
		(row, index, range) => {
			const from = last.current;
			last.current = index;
			if (!range || from === undefined) return toggle(row);
			const [low, high] = from < index ? [from, index] : [index, from];
			const rows = Array.from({ length: high - low + 1 }, (_, i) => now.current.at(low + i));
			if (rows.every((one) => one !== undefined)) add(rows);
			else void load((whole) => add(whole.slice(low, high + 1)));
		},
		[toggle, add, load],
	);
	return { selection, all, tick, tickAll };
}

/** tickedOf is how the box above all rows stands. */
export const tickedOf = (count: number, total = 0) => (count === 0 ? "none" : count >= total ? "all" : "some");
