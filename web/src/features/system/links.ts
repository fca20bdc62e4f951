import type { SysInterface } from "@api";

/** linkState: a link that is switched on may still have no cable. */
export function linkState({ flags }: SysInterface): "up" | "noCarrier" | "down" {
	if (!flags.includes("UP")) return "down";
	return flags.includes("LOWER_UP") || flags.includes("RUNNING") ? "up" : "noCarrier";
}
