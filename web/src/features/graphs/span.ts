/** Span is the time that is shown, in seconds since 1970. */
export interface Span {
	since: number;
	until: number;
}

/** A minute has six samples: less is no line. What is kept is a year, and the API answers for little more. */
const shortest = 60;
const longest = 366 * 86_400;

/** spanOf reads the part of the address that says what was zoomed to; undefined for one that nobody can show. */
export function spanOf(text: string | undefined): Span | undefined {
	const [, since, until] = /^(\d{1,11})-(\d{1,11})$/.exec(text ?? "")?.map(Number) ?? [];
	if (since === undefined || until === undefined) return undefined;
	return until - since >= shortest && until - since <= longest ? { since, until } : undefined;
}

/** spanText is how it stands there. */
export const spanText = ({ since, until }: Span): string => `${since}-${until}`;

/** around is a span of a length with a moment in its middle, as long as it may be, and not in the future. */
function around(moment: number, length: number, now: number): Span {
	const fits = Math.round(Math.min(longest, Math.max(shortest, length)));
	const until = Math.min(Math.floor(now), Math.round(moment + fits / 2));
	return { since: until - fits, until };
}

const middle = ({ since, until }: Span) => (since + until) / 2;

/** between is the span of two moments, in either order. */
export const between = (a: number, b: number, now: number): Span => around((a + b) / 2, Math.abs(b - a), now);

/** scaled is half of a span, or the double. A moment that is held and shown is the middle of what is left. */
export function scaled(span: Span, direction: "in" | "out", pin: number | undefined, now: number): Span {
	const length = (span.until - span.since) * (direction === "in" ? 0.5 : 2);
	const held = direction === "in" && pin !== undefined && pin >= span.since && pin <= span.until;
	return around(held ? pin : middle(span), length, now);
}

/** paged is the span of the same length before or after one; undefined for one that reaches now, which moves on and is no span. */
export function paged(span: Span, direction: "back" | "forward", now: number): Span | undefined {
	const length = span.until - span.since;
	if (direction === "forward" && span.until + length >= Math.floor(now)) return undefined;
	return around(middle(span) + (direction === "back" ? -length : length), length, now);
}

/** iso is a moment as the API takes it. */
export const iso = (seconds: number): string => new Date(seconds * 1000).toISOString();
