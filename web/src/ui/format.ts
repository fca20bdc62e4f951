import i18next from "i18next";

/** localeOf is the reader's own variety of a language (en-AU, de-CH), where the browser names one. */
export const localeOf = (language: string, understood: readonly string[]) =>
	understood.find((tag) => tag.split("-")[0] === language) ?? (language === "en" ? "en-GB" : language);

const locale = () => localeOf(i18next.resolvedLanguage ?? "en", navigator.languages);

// Making a formatter costs far more than using it, and a table needs hundreds of uses.
const made = new Map<string, unknown>();

function formatter<T>(kind: string, make: (locale: string) => T): T {
	const key = `${locale()} ${kind}`;
	if (!made.has(key)) made.set(key, make(locale()));
	return made.get(key) as T;
}

const number = (value: number, digits: number) =>
	formatter(`number ${digits}`, (l) => new Intl.NumberFormat(l, { maximumFractionDigits: digits })).format(value);

function scaled(value: number, base: number, units: string[]): string {
	if (!Number.isFinite(value)) return "–";
	let step = 0;
	let rest = value;
	while (Math.abs(rest) >= base && step < units.length - 1) {
		rest /= base;
		step++;
	}
	return `${number(rest, step === 0 || Math.abs(rest) >= 100 ? 0 : 1)} ${units[step]}`;
}

/** formatBytes: 1536 → "1.5 KiB". */
export const formatBytes = (bytes: number) => scaled(bytes, 1024, ["B", "KiB", "MiB", "GiB", "TiB", "PiB"]);

/** formatRate takes bytes per second and answers bits, as networks are sold: 1250000 → "10 Mbit/s". */
export const formatRate = (bytesPerSecond: number) =>
	scaled(bytesPerSecond * 8, 1000, ["bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"]);

/** formatPercent: 0.256 → "26 %" (in the reader's language). */
export const formatPercent = (share: number, digits = 0) =>
	Number.isFinite(share)
		? formatter(
				`percent ${digits}`,
				(l) => new Intl.NumberFormat(l, { style: "percent", maximumFractionDigits: digits }),
			).format(share)
		: "–";

/** formatNumber groups digits: 100000 → "100,000". */
export const formatNumber = (value: number, digits = 0) => number(value, digits);

const spans: [Intl.RelativeTimeFormatUnit, number][] = [
	["year", 31_536_000],
	["month", 2_592_000],
	["day", 86_400],
	["hour", 3_600],
	["minute", 60],
];

/** formatAgo: "5 minutes ago", "in 2 days"; under a minute it is "now". */
export function formatAgo(date: Date, now = new Date()): string {
	const seconds = (date.getTime() - now.getTime()) / 1000;
	const words = formatter("ago", (l) => new Intl.RelativeTimeFormat(l, { numeric: "auto" }));
	for (const [unit, length] of spans) {
		if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
	}
	return words.format(0, "second");
}

// Times of day have 24 hours everywhere, as they do in the logs that one compares them with.
const hourCycle = "h23";

/** formatExact: date and time to the second with the zone's name. */
export const formatExact = (date: Date) =>
	formatter("exact", (l) => new Intl.DateTimeFormat(l, { dateStyle: "medium", timeStyle: "long", hourCycle })).format(
		date,
	);

const clock = { hour: "2-digit", minute: "2-digit", hourCycle } as const;

/** formatShort: "3 Feb, 14:03:22", for what happened not long ago. */
export const formatShort = (date: Date) =>
	formatter(
		"short",
		(l) => new Intl.DateTimeFormat(l, { day: "numeric", month: "short", second: "2-digit", ...clock }),
	).format(date);

/** formatDay: "3 Feb". */
export const formatDay = (date: Date) =>
	formatter("day", (l) => new Intl.DateTimeFormat(l, { day: "numeric", month: "short" })).format(date);

/** formatClock: the time of day, to the minute, the second or the millisecond. */
export const formatClock = (date: Date, seconds: boolean | "ms" = false) =>
	formatter(
		`clock ${seconds}`,
		(l) =>
			new Intl.DateTimeFormat(l, {
				...clock,
				second: seconds ? "2-digit" : undefined,
				fractionalSecondDigits: seconds === "ms" ? 3 : undefined,
			}),
	).format(date);

/** formatDuration: 93784 s → "1 d 2 h"; the two largest units are enough. */
export function formatDuration(seconds: number): string {
	const parts: [number, string][] = [
		[Math.floor(seconds / 86_400), "d"],
		[Math.floor(seconds / 3_600) % 24, "h"],
		[Math.floor(seconds / 60) % 60, "min"],
		[Math.floor(seconds) % 60, "s"],
	];
	const first = parts.findIndex(([n]) => n > 0);
	if (first < 0) return "0 s";
	return parts
		.slice(first, first + 2)
		.filter(([n]) => n > 0)
		.map(([n, unit]) => `${n} ${unit}`)
		.join(" ");
}
