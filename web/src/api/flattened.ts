import { ApiError } from "./error";
import type { Resource, Row } from "./resource";

type Answer<T> = Promise<{ data: T; response: Response }>;

/**
 * flattened is a resource that has its settings as fields of their own, as a form wants them: what is wrong with one of them
 * stands at its field.
 */
export function flattened<R extends Row, In, Flat>(
	resource: Resource<R, In>,
	flatOf: (row: R) => R & Flat,
	nestedOf: (body: In & Flat) => In,
): Resource<R & Flat, In & Flat> {
	const flat = async (answer: Answer<R>) => {
		const { data, response } = await answer;
		return { data: flatOf(data), response };
	};
	const saved = (answer: Answer<R>) =>
		flat(answer).catch((error: unknown) => {
			if (!(error instanceof ApiError)) throw error;
			throw error.with({
				fields: error.fields.map((one) => ({ ...one, field: one.field.replace(/^settings\./, "") })),
			});
		});
	return {
		...resource,
		list: async (options) => {
			const { data, response } = await resource.list(options);
			return { data: data.map(flatOf), response };
		},
		get: (options) => flat(resource.get(options)),
		create: ({ body, headers }) => saved(resource.create({ body: nestedOf(body), headers })),
		update: ({ path, body, headers }) => saved(resource.update({ path, body: nestedOf(body), headers })),
	};
}
