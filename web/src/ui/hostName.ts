import { type ListQuery, page } from "@api";

/** foreign is a host name, or a part of one, with letters that it is not stored with. */
const foreign = /^(?=.*[^ -~])[\p{L}\p{M}\p{N}.*_-]+$/u;

/** ascii is a host name as the server stores it: "bücher.example" → "xn--bcher-kva.example"; any other text as it is. */
export const ascii = (name: string): string =>
	foreign.test(name) && URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;

type List<R> = (options: { query?: ListQuery; signal?: AbortSignal }) => Promise<{ data: R[]; response: Response }>;

/**
 * byHostName lets a list be searched by host names as people type them. The form that is stored is asked for first; notes
 * and all else are searched as typed.
 */
export const byHostName =
	<R>(list: List<R>): List<R> =>
	async (options) => {
		const typed = options.query?.q ?? "";
		const stored = ascii(typed);
		if (stored === typed) return list(options);
		const found = await list({ ...options, query: { ...options.query, q: stored } });
		const { total } = await page(Promise.resolve(found));
		return total > 0 ? found : list(options);
	};
