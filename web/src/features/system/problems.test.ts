import type { SysPackageVersion, SystemService } from "@api";
import { expect, test } from "vitest";
import { type Known, problemsOf } from "./problems";

const words = (key: string, values?: Record<string, unknown>) => `${key} ${JSON.stringify(values ?? {})}`;
const percent = (share: number) => `${Math.round(share * 100)} %`;
const of = (known: Known) => problemsOf(known, words, percent).map(({ id, severity }) => `${severity} ${id}`);

const required = new Set(["apply", "dns", "ntp", "packet-filter"]);
const service = (name: string, active_state: string, installed: boolean | null = true) =>
	({
		name,
		active_state,
		installed,
		description: name,
		boot: "enabled",
		required: required.has(name),
	}) as SystemService;
const use = (disk: number, memory: number) =>
	({ disk: { used: disk, total: 100 }, memory: { used: memory, total: 100 } }) as Known["resources"];
const one = (name: string, upgradable: boolean) =>
	({ name, installed: "1", available: "2", upgradable }) as SysPackageVersion;

test("what is not known is no problem", () => {
	expect(of({})).toEqual([]);
	expect(of({ resources: { disk: { used: 0, total: 0 }, memory: { used: 0, total: 0 } } as never })).toEqual([]);
});

test("failed services are, and stopped ones that have to run; unknown ones and those that nobody uses are not", () => {
	const services = [service("dns", "failed"), service("ntp", "unknown", null), service("ids", "inactive")];
	expect(of({ services })).toEqual(["danger failed dns"]);
	const stopped = [
		service("apply", "inactive"),
		service("packet-filter", "no-table"),
		service("virtual-ip", "inactive"),
	];
	expect(of({ services: stopped })).toEqual(["danger stopped apply", "danger stopped packet-filter"]);
	expect(of({ services: [service("radius", "failed", false)] })).toEqual([]);
	const off = { ...service("dns", "inactive"), boot: "disabled", required: false };
	expect(of({ services: [off] })).toEqual([]);
});

test("the database, and the maintenance mode", () => {
	expect(of({ database: false, maintenance: true })).toEqual(["danger database", "warning maintenance"]);
	expect(of({ database: true, maintenance: false })).toEqual([]);
});

test("a disk over 90 % and a memory over 95 %", () => {
	expect(of({ resources: use(90, 95) })).toEqual([]);
	expect(of({ resources: use(91, 96) })).toEqual(["warning disk", "warning memory"]);
});

test("updates are one piece of news, however many", () => {
	const packages = [one("gateway", true), one("squid", false), one("unbound", true)];
	const [found] = problemsOf({ packages }, words, percent);
	expect(found).toMatchObject({ severity: "info", detail: "gateway 2, unbound 2", to: "/system?tab=packages" });
	expect(found?.title).toContain('"count":2');
	expect(of({ packages: [one("squid", false)] })).toEqual([]);
});
