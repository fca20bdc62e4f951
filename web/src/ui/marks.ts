import type { Mark } from "./LiveChart";

/** Group is the marks that stand too close to each other to be told apart. */
export interface Group {
	/** Where it stands, 0 to 1. */
	place: number;
	marks: Mark[];
}

/** room is what a mark needs to be hit by a finger, in pixels. */
export const room = 24;

/** groupsOf puts marks together that have no room beside each other. A group stands at its first one. What came after the last step began stands at the end. */
export function groupsOf(marks: Mark[], from: number, to: number, width: number): Group[] {
	const out: Group[] = [];
	if (to <= from || width <= 0) return out;
	for (const mark of marks) {
		const place = Math.min(1, (mark.at - from) / (to - from));
		if (place < 0) continue;
		const last = out.at(-1);
		if (last && (place - last.place) * width < room) last.marks.push(mark);
		else out.push({ place, marks: [mark] });
	}
	return out;
}

const order: Mark["kind"][] = ["fired", "notice", "change", "resolved"];

/** worstOf is the kind that a group is drawn as. */
export const worstOf = (marks: Mark[]): Mark["kind"] =>
	order.find((kind) => marks.some((mark) => mark.kind === kind)) ?? "change";

/** near are the marks around the moment at a place, as far as the line of a group can be from it. */
export function near(marks: Mark[], times: number[], at: number): Mark[] {
	const step = (times[1] ?? 0) - (times[0] ?? 0);
	return marks.filter((mark) => Math.abs(mark.at - (times[at] ?? Number.NaN)) <= 2 * step);
}

/** indexOf is the place of the last moment that is not after another one. */
export function indexOf(times: number[], at: number): number {
	let low = 0;
	let high = times.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if ((times[middle] ?? 0) <= at) low = middle + 1;
		else high = middle;
	}
	return Math.max(0, low - 1);
}

/** many is how far a key goes together with the shift key. */
const many = 10;

/** moved is where a key leads from a place in the chart; undefined for any other key. Page keys go from mark to mark together with the shift key; alone they move what is shown. */
export function moved(key: string, shift: boolean, at: number, times: number[], marks: Mark[]): number | undefined {
	const last = times.length - 1;
	const steps = shift ? many : 1;
	const places = marks.filter((mark) => mark.at >= (times[0] ?? 0)).map((mark) => indexOf(times, mark.at));
	const to: Record<string, number | undefined> = {
		ArrowLeft: at - steps,
		ArrowDown: at - steps,
		ArrowRight: at + steps,
		ArrowUp: at + steps,
		Home: 0,
		End: last,
		PageUp: shift ? (places.findLast((place) => place < at) ?? at) : undefined,
		PageDown: shift ? (places.find((place) => place > at) ?? at) : undefined,
	};
	const found = Object.hasOwn(to, key) ? to[key] : undefined;
	return found === undefined ? undefined : Math.min(last, Math.max(0, found));
}
