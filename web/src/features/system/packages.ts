import type { SysPackageVersion } from "@api";

/** kindOf a package: to update, up to date, or not there. */
export function kindOf(one: SysPackageVersion): "upgradable" | "current" | "absent" {
	if (one.installed === "") return "absent";
	return one.upgradable ? "upgradable" : "current";
}

const order = ["upgradable", "current", "absent"];

/** sorted puts what can be updated first and what is not installed last. */
export const sorted = (packages: SysPackageVersion[]) =>
	packages.toSorted((a, b) => order.indexOf(kindOf(a)) - order.indexOf(kindOf(b)));
