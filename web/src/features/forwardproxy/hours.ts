const names = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"];

/** A Monday, and with it a week of days to ask for their names. */
const monday = Date.UTC(2024, 0, 1);
const day = 86_400_000;

/** runs are the days of a week in the fewest parts, each from its first to its last. */
function runs(days: number[]): [number, number][] {
	const out: [number, number][] = [];
	for (const one of days) {
		const last = out.at(-1);
		if (last && last[1] === one - 1) last[1] = one;
		else out.push([one, one]);
	}
	return out;
}

/** hoursText words days and hours as the server stores them: "mon,tue,wed 08:00-18:00" → "Mon–Wed 08:00–18:00". */
export function hoursText(stored: string, language: string): string {
	const words = stored.split(" ");
	const format = new Intl.DateTimeFormat(language, { weekday: "short", timeZone: "UTC" });
	const title = (index: number) => format.format(monday + index * day);
	return words
		.map((word) => {
			const days = word.split(",").map((name) => names.indexOf(name));
			// Hours, or what nobody here knows.
			if (days.includes(-1)) return word.replace("-", "–");
			const parts = runs(days).map(([first, last]) => {
				const between = last - first > 1 ? "–" : ", ";
				return first === last ? title(first) : `${title(first)}${between}${title(last)}`;
			});
			return parts.join(", ");
		})
		.join(" ");
}
