import { useMutation } from "@tanstack/react-query";
import { invalidate } from "./cache";
import type { ApiError } from "./error";
import { ifMatch, type ListQuery } from "./page";

/** Row is what every resource has. */
export interface Row {
	id: string;
	revision: number;
}

type Answer<T> = Promise<{ data: T; response: Response }>;

/** Resource names the generated functions of one collection, once, for table, form and hooks. */
export interface Resource<R extends Row, In> {
	/** Its path below /api/v1; names the list in the cache. */
	path: string;
	/** Tag in the OpenAPI document; a change refetches everything that carries it. */
	tag: string;
	/** What people call a row. */
	name: (row: R) => string;
	list: (options: { query?: ListQuery; signal?: AbortSignal }) => Answer<R[]>;
	get: (options: { path: { id: string }; signal?: AbortSignal }) => Answer<R>;
	create: (options: { body: In }) => Answer<R>;
	update: (options: { path: { id: string }; body: In; headers?: { "If-Match"?: string } }) => Answer<R>;
	remove: (options: { path: { id: string }; headers?: { "If-Match"?: string } }) => Answer<unknown>;
}

/** defineResource only helps the compiler infer the types. */
export const defineResource = <R extends Row, In>(resource: Resource<R, In>) => resource;

/** Save is a create, or an update of row; with overwrite it also replaces what somebody else changed. */
export interface Save<R, In> {
	row?: R;
	body: In;
	overwrite?: boolean;
}

/** useSave creates or updates a row of the resource. */
export function useSave<R extends Row, In>(resource: Resource<R, In>) {
	return useMutation<R, ApiError, Save<R, In>>({
		mutationFn: async ({ row, body, overwrite }) => {
			if (!row) return (await resource.create({ body })).data;
			const headers = overwrite ? {} : ifMatch(row);
			return (await resource.update({ path: { id: row.id }, body, headers })).data;
		},
		onSuccess: () => invalidate(resource.tag),
	});
}

/** useRemove deletes a row, unless somebody changed it meanwhile. */
export function useRemove<R extends Row, In>(resource: Resource<R, In>) {
	return useMutation<unknown, ApiError, R>({
		mutationFn: (row) => resource.remove({ path: { id: row.id }, headers: ifMatch(row) }),
		// Also after a refusal: what is on screen may be why.
		onSettled: () => invalidate(resource.tag),
	});
}
