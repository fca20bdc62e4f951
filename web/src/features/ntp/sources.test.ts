import type { NtpSourceStatus } from "@api";
import { smallTime } from "@ui/smallTime";
import { expect, test } from "vitest";
import { answered, serversOf } from "./sources";

const source = (name: string, address: string, state: string) => ({ name, address, state }) as NtpSourceStatus;

test("the servers of a source, by the name it was configured with, the best first", () => {
	const all = [
		source("0.pool.ntp.org", "192.0.2.1", "unusable"),
		source("0.pool.ntp.org", "192.0.2.2", "selected"),
		source("192.0.2.9", "192.0.2.9", "combined"),
	];
	expect(serversOf(all, "0.Pool.ntp.org.").map((one) => one.address)).toEqual(["192.0.2.2", "192.0.2.1"]);
	expect(serversOf(all, "192.0.2.9")).toHaveLength(1);
	expect(serversOf(all, "elsewhere")).toEqual([]);
});

test("how many of the last eight questions were answered", () => {
	expect([0, 1, 0b1010_1010, 255].map(answered)).toEqual([0, 1, 4, 8]);
});

test("parts of a second", () => {
	const words = (n: number) => smallTime(n, (value, digits) => value.toFixed(digits));
	expect([1.5, -0.0123, 0.000_004, 3e-9, 0].map(words)).toEqual([
		"1.50 s",
		"-12.3 ms",
		"4.00 µs",
		"3.00 ns",
		"0.00 ns",
	]);
});
