import { type FirewallSettings, type FirewallSettingsInput, Store } from "@api";
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

/** wholeNames are names of objects and groups that were seen to hold every address of a family. */
export const wholeNames = new Store<ReadonlySet<string>>(new Set());

type Named = { id: string; name: string };

/** learn notes which of the objects and groups are every address; those that are not any more are forgotten. */
export function learn(objects: (Named & { value: string })[], groups: (Named & { members: string[] | null })[]): void {
	const ids = new Set(objects.filter(({ value }) => isWhole(value)).map(({ id }) => id));
	const names = new Set(wholeNames.get());
	const note = (name: string, whole: boolean) => (whole ? names.add(name) : names.delete(name));
	for (const { name, members } of groups)
		note(
			name,
			(members ?? []).some((id) => ids.has(id)),
		);
	for (const { id, name } of objects) note(name, ids.has(id));
	const before = wholeNames.get();
	if (names.size !== before.size || [...names].some((name) => !before.has(name))) wholeNames.set(names);
}

/** isEverywhere says whether a typed side of a rule is any address: nothing, all of a family such as 0.0.0.0/0, or a name for that. */
export function isEverywhere(typed: unknown): boolean {
	const entries = tokensOf(String(typed ?? ""));
	const isAll = (text: string, quoted: boolean) => wholeNames.get().has(text) || (!quoted && isWhole(text));
	return entries.length === 0 || entries.some(({ text, quoted }) => isAll(text, quoted));
}
