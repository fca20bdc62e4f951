const formats = new Map<string, Intl.DateTimeFormat>();

/** shortTime: "3 Feb, 14:03:22" in the browser's zone. A format is made once, they are slow to make. */
export function shortTime(moment: string, language: string): string {
	let format = formats.get(language);
	if (!format) {
		format = new Intl.DateTimeFormat(language, {
			day: "numeric",
			month: "short",
			hour: "2-digit",
			minute: "2-digit",
			second: "2-digit",
			hourCycle: "h23",
		});
		formats.set(language, format);
	}
	const date = new Date(moment);
	return Number.isNaN(date.getTime()) ? moment : format.format(date);
}
