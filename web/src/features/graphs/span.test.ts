import { expect, test } from "vitest";
import { between, paged, scaled, spanOf, spanText } from "./span";

const now = 1_000_000;

test("what was zoomed to is in the address, and nonsense is not heeded", () => {
	const span = { since: 1_000, until: 2_000 };
	expect(spanOf(spanText(span))).toEqual(span);
	for (const odd of [undefined, "", "1-2", "2000-1000", "a-b", "1000", "-1000-2000", "0-99999999999"])
		expect(spanOf(odd), odd).toBeUndefined();
});

test("a drag in either direction is the time between, and never less than a minute or in the future", () => {
	expect(between(1_000, 1_600, now)).toEqual({ since: 1_000, until: 1_600 });
	expect(between(1_600, 1_000, now)).toEqual({ since: 1_000, until: 1_600 });
	expect(between(1_000, 1_001, now)).toEqual({ since: 971, until: 1_031 });
	expect(between(now - 10, now + 500, now)).toEqual({ since: now - 510, until: now });
});

test("zooming halves and doubles, around the moment that is held", () => {
	const span = { since: 1_000, until: 2_000 };
	expect(scaled(span, "in", undefined, now)).toEqual({ since: 1_250, until: 1_750 });
	expect(scaled(span, "in", 1_100, now)).toEqual({ since: 850, until: 1_350 });
	expect(scaled(span, "in", 9_999, now)).toEqual({ since: 1_250, until: 1_750 });
	expect(scaled(span, "out", 1_100, now)).toEqual({ since: 500, until: 2_500 });
	expect(scaled({ since: now - 100, until: now }, "out", undefined, now)).toEqual({ since: now - 200, until: now });
	expect(scaled({ since: 1_000, until: 1_060 }, "in", undefined, now)).toEqual({ since: 1_000, until: 1_060 });
});

test("a page is the time before or after; one that reaches now is no span", () => {
	const span = { since: 1_000, until: 2_000 };
	expect(paged(span, "back", now)).toEqual({ since: 0, until: 1_000 });
	expect(paged(span, "forward", now)).toEqual({ since: 2_000, until: 3_000 });
	expect(paged({ since: now - 150, until: now - 50 }, "forward", now)).toBeUndefined();
	// What is live ends at a rounded time, a little before now.
	expect(paged({ since: now - 3_607, until: now - 7 }, "forward", now)).toBeUndefined();
	expect(paged({ since: now - 3_607, until: now - 7 }, "back", now)).toEqual({
		since: now - 7_207,
		until: now - 3_607,
	});
});

test("nothing is shown that no sample can be of", () => {
	const { since, until } = scaled({ since: 0, until: 31_536_000 }, "out", undefined, 2_000_000_000);
	expect(until - since).toBe(366 * 86_400);
});
