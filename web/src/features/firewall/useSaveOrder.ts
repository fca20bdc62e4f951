import type { ListQuery, Resource, Row } from "@api";
import { tell, toast, useErrorText, useLockout } from "@ui";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { type Move, moved, refilled } from "./order";
import { everything } from "./pair";
import { useOrder } from "./requests";

export type Order = Parameters<typeof useOrder>[0];

/** idsOf are the ids of all rows that a question has, in their order. */
async function idsOf<R extends Row>(source: Pick<Resource<R, never>, "list">, query: ListQuery): Promise<string[]> {
	const rows = await everything((asked, signal) => source.list({ query: asked, signal }), query);
	return rows.map((row) => row.id);
}

type Source<R extends Row> = Pick<Resource<R, never>, "list">;

/** useArrange gives all rules another order. */
export function useArrange<R extends Row>(source: Source<R>, order: Order) {
	const { t } = useTranslation("firewall");
	const { mutateAsync } = useOrder(order);
	const lockout = useLockout();
	const arrange = async (change: (all: string[]) => string[]) => {
		const rules = change(await idsOf(source, { sort: "priority" }));
		const { outcome } = await lockout.run({}, (ask) => mutateAsync({ rules, ask }));
		tell(t("order.saved"), "firewall", outcome);
	};
	return { arrange, dialog: lockout.dialog };
}

/** useSaveOrder saves moves that were made in a list, which may show a part of all rules only. */
export function useSaveOrder<R extends Row>(source: Source<R>, query: ListQuery, order: Order) {
	const { t } = useTranslation("firewall");
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
