import { type ListQuery, page } from "@api";

/** foreign is a host name, or a part of one, with letters that it is not stored with. */
const foreign = /^(?=.*[^ -~])[\p{L}\p{M}\p{N}.*_-]+$/u;

/** ascii is a host name as the server stores it: "bücher.example" → "xn--bcher-kva.example"; any other text as it is. */
export const ascii = (name: string): string =>
	foreign.test(name) && URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname : name;

const digits = "abcdefghijklmnopqrstuvwxyz0123456789";

/** next is how far the following letters of a label are likely to be apart (RFC 3492, section 6.1). */
function next(delta: number, length: number, first: boolean): number {
	let left = Math.floor(delta / (first ? 700 : 2));
	left += Math.floor(left / length);
	let steps = 0;
	for (; left > 455; steps += 36) left = Math.floor(left / 35);
	return steps + Math.floor((36 * left) / (left + 38));
}

/** decoded is a label without its "xn--" (RFC 3492, section 6.2); undefined for one that is none. */
function decoded(label: string): string | undefined {
	const end = Math.max(0, label.lastIndexOf("-"));
	const letters = [...label.slice(0, end)];
	let at = end > 0 ? end + 1 : 0;
	let [code, place, bias] = [128, 0, 72];
	while (at < label.length) {
		const before = place;
		for (let weight = 1, k = 36; ; k += 36) {
			const digit = digits.indexOf(label[at++] ?? " ");
			if (digit < 0) return undefined;
			place += digit * weight;
			const least = Math.min(26, Math.max(1, k - bias));
			if (digit < least) break;
			weight *= 36 - least;
		}
		bias = next(place - before, letters.length + 1, before === 0);
		code += Math.floor(place / (letters.length + 1));
		place %= letters.length + 1;
		if (code > 0x10ffff) return undefined;
		letters.splice(place++, 0, String.fromCodePoint(code));
	}
	return letters.join("");
}

/** readable is a stored host name in its own script; undefined where it has no other form. */
export function readable(name: string): string | undefined {
	if (!name.includes("xn--")) return undefined;
	const labels = name.split(".").map((label) => (label.startsWith("xn--") ? decoded(label.slice(4)) : label));
	const text = labels.join(".");
	return !labels.includes(undefined) && ascii(text) === name ? text : undefined;
}

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
