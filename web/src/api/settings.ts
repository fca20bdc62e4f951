import { type QueryKey, useQuery } from "@tanstack/react-query";
import type { Resource, Row } from "./resource";

type Answer<T> = Promise<{ data: T; response: Response }>;

/** Settings names the generated functions of settings that there are once. */
export interface Settings<R extends Row, In> {
	tag: string;
	component: string;
	risky?: (before: R, body: In) => boolean;
	key: QueryKey;
	get: (options: { signal?: AbortSignal }) => Answer<R>;
	update: (options: { body: In; headers?: Record<string, string> }) => Answer<R>;
}

/** defineSettings only helps the compiler infer the types. */
export const defineSettings = <R extends Row, In>(settings: Settings<R, In>) => settings;

/** useSettings are they as stored. */
export const useSettings = <R extends Row, In>(settings: Settings<R, In>) =>
	useQuery({
		queryKey: settings.key,
		queryFn: async ({ signal }) => (await settings.get({ signal })).data,
	});

/** asResource lets a form treat settings as a collection of one row. */
export function asResource<R extends Row, In>(settings: Settings<R, In>): Resource<R, In> {
	const none = () => Promise.reject(new Error("there is one row only"));
	return {
		path: "",
		tag: settings.tag,
		name: () => "",
		component: settings.component,
		risky: (before, body) => Boolean(before && body && settings.risky?.(before, body)),
		list: none,
		get: settings.get,
		create: none,
		update: ({ body, headers }) => settings.update({ body, headers }),
		remove: none,
	};
}
