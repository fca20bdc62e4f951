const units: [number, string][] = [
	[1, "s"],
	[1e-3, "ms"],
	[1e-6, "µs"],
	[1e-9, "ns"],
];

/** smallTime words a part of a second: 0.00123 → "1.23 ms". */
export function smallTime(seconds: number, format: (value: number, digits: number) => string): string {
	const size = Math.abs(seconds);
	const [unit, name] = units.find(([one]) => size >= one) ?? units.at(-1)!;
	const value = seconds / unit;
	return `${format(value, Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2)} ${name}`;
}
