import { expect, test } from "vitest";
import { formatAgo, formatBytes, formatDuration, formatPercent, formatRate } from "./format";

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
