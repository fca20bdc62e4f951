import { formatExact, formatShort } from "@ui";

/** A moment that is none is shown as it came. */
function words(moment: string, format: (date: Date) => string): string {
	const date = new Date(moment);
	return Number.isNaN(date.getTime()) ? moment : format(date);
}

/** shortTime: "3 Feb, 14:03:22" in the browser's zone. */
export const shortTime = (moment: string) => words(moment, formatShort);

/** exactTime also has the year and the zone. */
export const exactTime = (moment: string) => words(moment, formatExact);
