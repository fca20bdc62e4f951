/** moved takes the entry at one place to another; places beyond the ends are the ends. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
	const rest = list.filter((_, place) => place !== from);
	const entry = list[from];
	if (entry === undefined) return [...list];
	const place = Math.max(0, Math.min(to, rest.length));
	return [...rest.slice(0, place), entry, ...rest.slice(place)];
}

interface Identified {
	id: string;
}

/** arranged puts rows into an order of ids. Rows that came since stand last, ids of rows that are gone are passed over. */
export function arranged<R extends Identified>(rows: readonly R[], order: readonly string[]): R[] {
	const known = order.flatMap((id) => rows.find((row) => row.id === id) ?? []);
	return [...known, ...rows.filter((row) => !order.includes(row.id))];
}

/** isSame says whether rows stand in this order already. */
export const isSame = (rows: readonly Identified[], order: readonly Identified[]) =>
	rows.length === order.length && rows.every((row, place) => row.id === order[place]?.id);
