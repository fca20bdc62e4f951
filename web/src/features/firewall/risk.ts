import type { FirewallSettings, FirewallSettingsInput } from "@api";

type Narrowing = Pick<FirewallSettings, "lockout_zones" | "lockout_networks">;

const same = (a: string[], b: string[]) => [...a].sort().join() === [...b].sort().join();

/** narrows says whether somebody who can reach the management now may not be able to afterwards. */
export const narrows = (before: Narrowing, after: FirewallSettingsInput) =>
	!same(before.lockout_zones, after.lockout_zones) || !same(before.lockout_networks, after.lockout_networks);

/** isOpen says whether the management is reachable from everywhere. */
export const isOpen = ({ lockout_zones, lockout_networks }: Narrowing) =>
	lockout_zones.length + lockout_networks.length === 0;
