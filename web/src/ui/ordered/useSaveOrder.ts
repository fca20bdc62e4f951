import { type Ask, carryOut, everyRow, invalidate, type ListQuery, type Resource, type Row } from "@api";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { tell } from "../change/outcome";
import { useLockout } from "../change/useLockout";
import { useErrorText } from "../errorText";
import { toast } from "../toast";
import { useTranslation } from "../translation";
import { type Move, moved, refilled } from "./order";

/** Order is the request that gives all rules of a kind a new order. */
export type Order = (options: { body: { rules: string[] }; headers: Record<string, string> }) => Promise<{
	data: unknown;
	response: Response;
}>;

/** Ordered is what has to be known of rows that have an order. */
export type Ordered<R extends Row> = Pick<Resource<R, never>, "list" | "tag" | "component">;

/** idsOf are the ids of all rows that a question has, in their order. */
const idsOf = async <R extends Row>(source: Ordered<R>, query: ListQuery): Promise<string[]> =>
	(await everyRow(source, { ...query })).map((row) => row.id);

/** useArrange gives all rules another order. */
export function useArrange<R extends Row>(source: Ordered<R>, order: Order) {
	const { t } = useTranslation("ui");
	const { mutateAsync } = useMutation({
		mutationFn: ({ rules, ask }: { rules: string[]; ask: Ask }) =>
			carryOut(ask, (headers) => order({ body: { rules }, headers })),
		onSettled: () => invalidate(source.tag, "change"),
	});
	const lockout = useLockout();
	const arrange = async (change: (all: string[]) => string[]) => {
		const rules = change(await idsOf(source, { sort: "priority" }));
		const { outcome } = await lockout.run({}, (ask) => mutateAsync({ rules, ask }));
		tell(t("order.saved"), source.component, outcome);
	};
	return { arrange, dialog: lockout.dialog };
}

/** useSaveOrder saves moves that were made in a list, which may show a part of all rules only. */
export function useSaveOrder<R extends Row>(source: Ordered<R>, query: ListQuery, order: Order) {
	const { t } = useTranslation("ui");
	const text = useErrorText();
	const { arrange, dialog } = useArrange(source, order);
	const [busy, setBusy] = useState(false);
	/** Answers whether the moves are done with: saved, or no longer possible. */
	const save = async (moves: Move[]): Promise<boolean> => {
		setBusy(true);
		try {
			const part = moved(moves, await idsOf(source, query));
			if (part) await arrange((all) => refilled(all, part));
			else toast.danger(t("order.notSaved"), { detail: t("order.meanwhile") });
			return true;
		} catch (error) {
			toast.danger(t("order.notSaved"), { detail: text(error) });
			return false;
		} finally {
			setBusy(false);
		}
	};
	return { save, busy, dialog };
}
