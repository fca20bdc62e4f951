/** A day of the address, in the reader's time zone, as the moments that the server is asked for. */
const startOf = (day: string | undefined, later = 0): string | undefined => {
	const [year, month, date] = (day ?? "").split("-").map(Number);
	if (!year || !month || !date) return undefined;
	const start = new Date(year, month - 1, date + later);
	return Number.isNaN(start.getTime()) ? undefined : start.toISOString();
};

/** between is from the beginning of the first day to the end of the last; either may be left out. */
export const between = (from: string | undefined, to: string | undefined) => ({
	since: startOf(from),
	until: startOf(to, 1),
});
