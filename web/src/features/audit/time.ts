import i18next from "i18next";

// A format is slow to make and fast to use, and there are thousands of rows.
const formats = new Map<string, Intl.DateTimeFormat>();

function format(kind: string, moment: string, options: Intl.DateTimeFormatOptions): string {
	const language = i18next.resolvedLanguage ?? i18next.language;
	let found = formats.get(kind + language);
	if (!found) {
		found = new Intl.DateTimeFormat(language, options);
		formats.set(kind + language, found);
	}
	const date = new Date(moment);
	return Number.isNaN(date.getTime()) ? moment : found.format(date);
}

/** shortTime: "3 Feb, 14:03:22" in the browser's zone. */
export const shortTime = (moment: string) =>
	format("short", moment, {
		day: "numeric",
		month: "short",
		hour: "2-digit",
		minute: "2-digit",
		second: "2-digit",
		hourCycle: "h23",
	});

/** exactTime also has the year and the zone. */
export const exactTime = (moment: string) => format("exact", moment, { dateStyle: "medium", timeStyle: "long" });
