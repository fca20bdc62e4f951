/** scaleOf is from where to where a chart goes: zero is always on it, and what is below zero too. */
export function scaleOf(min: number | null, max: number | null, atLeast: number): [number, number] {
	const low = Math.min(0, (min ?? 0) * 1.1);
	const high = Math.max((max ?? 0) * 1.1, atLeast);
	return [low, high || (low < 0 ? 0 : 1)];
}
