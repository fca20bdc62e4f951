import type { SysPackageVersion, SystemService } from "@api";
import { everyUntil } from "@ui/service";
import { expect, test } from "vitest";
import { kindOf, sorted as sortedPackages } from "./packages";
import { bootOf, isOn, sorted } from "./services";

const service = (name: string, active_state: string, installed: boolean | null = true, boot = "enabled") =>
	({ name, active_state, installed, boot }) as SystemService;

test("failed services come first, those not installed last", () => {
	const list = [
		service("api", "active"),
		service("dhcp", "inactive", false),
		service("ids", "inactive"),
		service("dns", "failed"),
		service("waf", "unknown", null),
	];
	expect(sorted(list).map((one) => one.name)).toEqual(["dns", "api", "ids", "waf", "dhcp"]);
});

test("a service that is about to run is on", () => {
	expect(isOn(service("waf", "activating"))).toBe(true);
	expect(isOn(service("waf", "failed"))).toBe(false);
});

test("a service that starts or stops is looked at again soon", () => {
	const soon = everyUntil(5);
	const of = (active_state: string, more: Partial<SystemService> = {}) => {
		const dhcp = { ...service("dhcp", active_state), required: true, ...more };
		return soon({ state: { data: { services: [service("api", "active"), dhcp] } } });
	};
	expect(["activating", "deactivating", "reloading", "inactive"].map((state) => of(state))).toEqual(
		Array(4).fill(1_000),
	);
	expect(of("active", { off: true })).toBe(1_000);
	expect([of("active"), of("failed"), of("inactive", { off: true }), of("inactive", { required: false })]).toEqual(
		Array(4).fill(5_000),
	);
	expect(soon({ state: { data: undefined } })).toBe(5_000);
});

test("whether it starts with the machine", () => {
	expect(bootOf(service("a", "active"))).toBe("yes");
	expect(bootOf(service("a", "active", true, "enabled-runtime"))).toBe("yes");
	expect(bootOf(service("a", "active", true, "static"))).toBe("needed");
	expect(bootOf(service("a", "active", true, "masked"))).toBe("no");
	expect(bootOf(service("a", "active", true, ""))).toBeUndefined();
	expect(bootOf(service("a", "inactive", false, ""))).toBeUndefined();
});

test("packages to update come first", () => {
	const one = (name: string, installed: string, upgradable: boolean) =>
		({ name, installed, available: "2", upgradable }) as SysPackageVersion;
	const list = [one("squid", "", false), one("chrony", "2", false), one("gateway", "1", true)];
	expect(sortedPackages(list).map(kindOf)).toEqual(["upgradable", "current", "absent"]);
});
