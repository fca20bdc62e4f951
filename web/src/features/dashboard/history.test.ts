import type { SysInterface } from "@api";
import { expect, test } from "vitest";
import { append, every, kept, latest, type Point, spanOf, timesOf, valuesOf } from "./history";
import { chosen, toggled } from "./links";

const point = (time: number, a: number | null = time): Point => ({ time, values: { a } });

test("the history keeps five minutes and no more", () => {
	let points: Point[] = [];
	for (let time = 0; time <= 1_000; time += every) points = append(points, point(time));
	expect(points).toHaveLength(kept / every + 1);
	expect(points[0]?.time).toBe(1_000 - kept);
	expect(latest(points, "a")).toBe(1_000);
	expect(latest(points, "b")).toBeNull();
});

test("an answer that is not newer changes nothing", () => {
	const points = [point(10)];
	expect(append(points, point(10))).toBe(points);
	expect(append(points, point(9))).toBe(points);
});

test("a silence leaves a hole, and a long one leaves nothing of before", () => {
	expect(append([point(10)], point(40)).map((one) => one.values)).toEqual([{ a: 10 }, {}, { a: 40 }]);
	expect(append([point(10)], point(10 + 2 * kept))).toEqual([point(10 + 2 * kept)]);
});

test("a chart spans a whole window, which grows with the history; times and values stand side by side", () => {
	const points = [point(1_000, 1), point(1_002, null), point(1_004, 3)];
	expect(timesOf(points)).toEqual([944, 1_000, 1_002, 1_004]);
	expect([10, 60, 61, 121, 300].map((age) => spanOf([point(1_000), point(1_000 + age)]))).toEqual([
		60,
		60,
		120,
		kept,
		kept,
	]);
	expect(valuesOf(points, "a")).toEqual([null, 1, null, 3]);
	const full = [point(700), point(1_000)];
	expect(timesOf(full)[0]).toBeLessThan(700);
});

const link = (ifname: string, ...flags: string[]) => ({ ifname, flags }) as SysInterface;

test("loopback and links without a cable are not shown until asked for", () => {
	const links = [link("lo", "RUNNING", "LOOPBACK"), link("eth0", "UP", "LOWER_UP"), link("eth1", "UP")];
	const names = (wanted?: string) => chosen(links, wanted).map((one) => one.ifname);
	expect(names()).toEqual(["eth0"]);
	expect(names("eth1,lo")).toEqual(["lo", "eth1"]);
	expect(chosen([link("lo", "UP", "LOOPBACK"), link("eth1")], undefined)).toHaveLength(1);
});

test("links are switched on and off, but one stays", () => {
	const shown = [link("eth0"), link("eth1")];
	expect(toggled(shown, "lo")).toBe("eth0,eth1,lo");
	expect(toggled(shown, "eth0")).toBe("eth1");
	expect(toggled([link("eth0")], "eth0")).toBe("eth0");
});
