import { useMutation } from "@tanstack/react-query";
import { invalidate } from "./cache";
import { type Ask, carryOut, type Done, type Plan, tryOut } from "./change";
import type { ApiError } from "./error";
import { batch, type ChangeOperation } from "./generated";
import { ifMatch, page } from "./page";
import type { Resource, Row } from "./resource";

/** Step is what a bulk action does to one row, or with a path of its own, for it. */
export type Step = Pick<ChangeOperation, "method" | "body"> & { path?: string };

/** operationOf is a step as part of a batch; it fails when somebody changed the row meanwhile. */
export const operationOf = (path: string, row: Row, { path: other, ...step }: Step): ChangeOperation =>
	other ? { ...step, path: other } : { ...step, path: `${path}/${row.id}`, if_match: ifMatch(row)["If-Match"] };

/** planBulk is what a bulk action would change. */
export const planBulk = (operations: ChangeOperation[]): Promise<Plan> =>
	tryOut((headers) => batch({ body: { operations }, headers }));

/** useBulk does something to many rows as one change, with one apply and one way back; what has these tags is loaded anew. */
export function useBulk(...tags: string[]) {
	return useMutation<Done<unknown>, ApiError, { operations: ChangeOperation[]; ask: Ask }>({
		mutationFn: ({ operations, ask }) => carryOut(ask, (headers) => batch({ body: { operations }, headers })),
		onSettled: () => invalidate(...tags, "change"),
	});
}

const most = 1000;

/** everyRow loads a whole list, page by page. */
export async function everyRow<R extends Row>(
	resource: Pick<Resource<R, never>, "list">,
	query: Record<string, unknown>,
): Promise<R[]> {
	const rows: R[] = [];
	for (;;) {
		const got = await page(resource.list({ query: { ...query, limit: most, offset: rows.length } }));
		rows.push(...got.rows);
		if (got.rows.length === 0 || rows.length >= got.total) return rows;
	}
}
