import { useMutation } from "@tanstack/react-query";
import { invalidate } from "./cache";
import { type Ask, carryOut, type Done, type Plan, tryOut } from "./change";
import type { ApiError } from "./error";
import { ifMatch, type ListQuery } from "./page";

/** Row is what every resource has. */
export interface Row {
	id: string;
	revision: number;
}

type Answer<T> = Promise<{ data: T; response: Response }>;

type Headers = Record<string, string>;

/** Resource names the generated functions of one collection, once, for table, form and hooks. */
export interface Resource<R extends Row, In> {
	/** Its path below /api/v1; names the list in the cache, and a row is at path/id. */
	path: string;
	/** Id of the object whose rows alone it lists: each such object has a list of its own in the cache. */
	of?: string;
	/** Tag in the OpenAPI document; a change refetches everything that carries it. */
	tag: string;
	/** What people call a row. */
	name: (row: R) => string;
	/** Component whose daemon the rows configure: forms then show what will change, and a change can be undone. */
	component?: string;
	/** Whether that change can cut the administrator off: it is undone then unless confirmed, unless said otherwise. */
	risky?: (before: R | undefined, body: In | undefined) => boolean;
	list: (options: { query?: ListQuery; signal?: AbortSignal }) => Answer<R[]>;
	get: (options: { path: { id: string }; signal?: AbortSignal }) => Answer<R>;
	create: (options: { body: In; headers?: Headers }) => Answer<R>;
	update: (options: { path: { id: string }; body: In; headers?: Headers }) => Answer<R>;
	remove: (options: { path: { id: string }; headers?: Headers }) => Answer<unknown>;
}

/** defineResource only helps the compiler infer the types. */
export const defineResource = <R extends Row, In>(resource: Resource<R, In>) => resource;

/** Save is a create, or an update of row. */
export interface Save<R, In> {
	row?: R;
	body: In;
	ask?: Ask;
}

const send = <R extends Row, In>(resource: Resource<R, In>, { row, body }: Save<R, In>, headers: Headers) =>
	row
		? resource.update({ path: { id: row.id }, body, headers: { ...headers, ...ifMatch(row) } })
		: resource.create({ body, headers });

const drop = <R extends Row, In>(resource: Resource<R, In>, row: R, headers: Headers) =>
	resource.remove({ path: { id: row.id }, headers: { ...headers, ...ifMatch(row) } });

/** planSave is what a save would change. */
export const planSave = <R extends Row, In>(resource: Resource<R, In>, save: Save<R, In>): Promise<Plan> =>
	tryOut((headers) => send(resource, save, headers));

/** planRemove is what deleting a row would change. */
export const planRemove = <R extends Row, In>(resource: Resource<R, In>, row: R): Promise<Plan> =>
	tryOut((headers) => drop(resource, row, headers));

/** useSave creates or updates a row of the resource. */
export function useSave<R extends Row, In>(resource: Resource<R, In>) {
	return useMutation<Done<R>, ApiError, Save<R, In>>({
		mutationFn: (save) => carryOut(save.ask ?? {}, (headers) => send(resource, save, headers)),
		onSuccess: () => invalidate(resource.tag, "change"),
	});
}

/** useRemove deletes a row, unless somebody changed it meanwhile. */
export function useRemove<R extends Row, In>(resource: Resource<R, In>) {
	return useMutation<Done<unknown>, ApiError, { row: R; ask?: Ask }>({
		mutationFn: ({ row, ask = {} }) => carryOut(ask, (headers) => drop(resource, row, headers)),
		// Also after a refusal: what is on screen may be why.
		onSettled: () => invalidate(resource.tag, "change"),
	});
}
