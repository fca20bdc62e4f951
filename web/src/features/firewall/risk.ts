import type { FirewallSettings, FirewallSettingsInput } from "@api";
import { networkText, rangeText } from "./ip";
import { tokensOf } from "./typed";

type Narrowing = Pick<FirewallSettings, "lockout_zones" | "lockout_networks">;

const same = (a: string[], b: string[]) => [...a].sort().join() === [...b].sort().join();

/** narrows says whether somebody who can reach the management now may not be able to afterwards. */
export const narrows = (before: Narrowing, after: FirewallSettingsInput) =>
	!same(before.lockout_zones, after.lockout_zones) || !same(before.lockout_networks, after.lockout_networks);

/** isOpen says whether the management is reachable from everywhere. */
export const isOpen = ({ lockout_zones, lockout_networks }: Narrowing) =>
	lockout_zones.length + lockout_networks.length === 0;

/** Every address of a family, as a range. */
const whole = new Set(["0.0.0.0-255.255.255.255", "::-ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]);

const isWhole = (entry: string) => Boolean(networkText(entry)?.endsWith("/0")) || whole.has(rangeText(entry) ?? "");

/** isEverywhere says whether a typed side of a rule is any address: nothing, or all of a family such as 0.0.0.0/0. */
export function isEverywhere(typed: unknown): boolean {
	const entries = tokensOf(String(typed ?? ""));
	return entries.length === 0 || entries.some(({ text, quoted }) => !quoted && isWhole(text));
}
