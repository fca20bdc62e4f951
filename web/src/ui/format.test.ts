import { expect, test } from "vitest";
import { formatAgo, formatBytes, formatClock, formatDuration, formatPercent, formatRate, localeOf } from "./format";

test("figures are short and have a unit", () => {
	expect(formatBytes(1536)).toBe("1.5 KiB");
	expect(formatBytes(0)).toBe("0 B");
	expect(formatRate(1_250_000)).toBe("10 Mbit/s");
	expect(formatPercent(0.256)).toBe("26%");
	expect(formatDuration(93_784)).toBe("1 d 2 h");
	expect(formatDuration(0)).toBe("0 s");
});

test("a moment is told from now", () => {
	const now = new Date("2026-01-02T12:00:00Z");
	expect(formatAgo(new Date("2026-01-02T11:55:00Z"), now)).toBe("5 minutes ago");
	expect(formatAgo(new Date("2026-01-04T12:00:00Z"), now)).toBe("in 2 days");
	expect(formatAgo(now, now)).toBe("now");
});

test("the browser says which English or German", () => {
	expect(localeOf("en", ["de-CH", "en-AU", "en-US"])).toBe("en-AU");
	expect(localeOf("de", ["de-CH", "en"])).toBe("de-CH");
	expect(localeOf("en", ["fr-FR"])).toBe("en-GB");
	expect(localeOf("de", ["en"])).toBe("de");
});

test("the time of day has 24 hours", () => {
	expect(formatClock(new Date(2026, 0, 2, 15, 4, 5), true)).toBe("15:04:05");
	expect(formatClock(new Date(2026, 0, 2, 0, 4))).toBe("00:04");
	expect(formatClock(new Date(2026, 0, 2, 15, 4, 5, 67), "ms")).toBe("15:04:05.067");
});
