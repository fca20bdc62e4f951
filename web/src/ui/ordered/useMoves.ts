import type { Row } from "@api";
import { type DragEvent, useRef, useState } from "react";
import { useTranslation } from "../translation";
import type { Rows } from "../useRows";
import { type Move, origin } from "./order";

/** Mover changes the order. It stays the same one as long as the list is there, so that rows need not be rendered for it. */
export interface Mover {
	move: (from: number, to: number) => void;
	drag: (place: number) => void;
	over: (event: DragEvent, place: number) => void;
	drop: (event: DragEvent) => void;
}

/** useMoves is an order that was changed and not saved yet, over rows as the server has them. */
export function useMoves<R extends Row>(rows: Rows<R>, name: (row: R) => string) {
	const { t } = useTranslation("ui");
	const [list, setList] = useState<Move[]>([]);
	const [dragged, setDragged] = useState<number>();
	const [said, say] = useState("");
	// A row that was taken far away is no longer among those that are loaded.
	const taken = useRef(new Map<number, R>());
	const at = (place: number): R | undefined => {
		const from = origin(list, place);
		return rows.at(from) ?? taken.current.get(from);
	};
	const move = (from: number, target: number) => {
		const row = at(from);
		const to = Math.max(0, Math.min(target, (rows.total ?? 1) - 1));
		if (!row || from === to) return;
		taken.current.set(origin(list, from), row);
		setList([...list, { id: row.id, from, to }]);
		say(t("order.moved", { name: name(row), place: to + 1 }));
	};
	const over = (event: DragEvent, place: number) => {
		if (dragged === undefined) return;
		event.preventDefault();
		if (dragged === place) return;
		move(dragged, place);
		setDragged(place);
	};
	const now = useRef({ move, over });
	now.current = { move, over };
	const [mover] = useState<Mover>(() => ({
		move: (from, to) => now.current.move(from, to),
		over: (event, place) => now.current.over(event, place),
		drag: setDragged,
		drop: (event) => {
			event.preventDefault();
			setDragged(undefined);
		},
	}));
	const forget = () => {
		taken.current.clear();
		setList([]);
	};
	return { list, at, dragged, said, mover, forget };
}
