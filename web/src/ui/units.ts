import i18next from "i18next";
import { formatNumber } from "./format";

/** Sizes of a unit, the smallest first, in what the server counts. Their words are "unit.<name>". */
const sizes = {
	milliseconds: { ms: 1, s: 1_000 },
	seconds: { s: 1, min: 60, h: 3_600, d: 86_400, y: 31_536_000 },
	bytes: { B: 1, KiB: 1_024, MiB: 1_048_576, GiB: 1_073_741_824 },
	mebibytes: { MiB: 1, GiB: 1_024 },
	/** Of a packet: nobody counts those in KiB. */
	octets: { B: 1 },
	days: { d: 1, y: 365 },
	requests: { req: 1 },
	copies: { copy: 1 },
	percent: { percent: 1 },
	/** Seconds as NTP counts them: 6 is 64. */
	powers: { power: 1 },
} as const;

/** Unit is what a number counts. */
export type Unit = keyof typeof sizes;

/** sizesOf are the sizes that a number up to max may be typed in: name, and how much one of it is. */
export const sizesOf = (unit: Unit, max = Number.POSITIVE_INFINITY): [string, number][] =>
	Object.entries(sizes[unit]).filter(([, size]) => size <= max);

/** sizeOf is the largest size that says a value without a fraction. */
export function sizeOf(unit: Unit, value: number): [string, number] {
	const all = sizesOf(unit);
	const fits = all.filter(([, size]) => value !== 0 && Number.isInteger(value / size));
	return fits.at(-1) ?? all[0]!;
}

/** unitWord is a size in words, as they follow that many. */
export const unitWord = (name: string, count: number) => i18next.t(`unit.${name}`, { ns: "ui", count });

/** unitText: 31536000 seconds → "1 year". */
export function unitText(unit: Unit, value: number): string {
	const [name, size] = sizeOf(unit, value);
	return `${formatNumber(value / size)} ${unitWord(name, value / size)}`;
}
