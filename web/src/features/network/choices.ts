import { listFirewallZonesOptions } from "@api";
import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import type { Choice } from "@ui";
import { useTranslation } from "@ui/translation";
import { useUrlState } from "@ui/urlState";
import { useInterfaces, useLinks } from "./requests";

const same = (name: string): Choice => ({ value: name, label: name });

/** useZoneChoices lets a form choose the zone of an interface, or none. */
export function useZoneChoices(): Choice[] {
	const { t } = useTranslation("network");
	const { data = [] } = useQuery({
		...listFirewallZonesOptions({ query: { limit: 1000, sort: "name" } }),
		staleTime: 60_000,
	});
	return [{ value: "", label: t("link.noZone") }, ...data.map(({ name }) => same(name))];
}

/** useFreeLinks are the links of the kernel that are not configured yet, and nothing is built on. */
export function useFreeLinks(): string[] {
	const rows = useInterfaces();
	const { all } = useLinks();
	if (!rows) return [];
	const known = new Set(rows.flatMap((row) => [row.name, row.parent, ...(row.members ?? [])]));
	return all.map((link) => link.ifname).filter((name) => !known.has(name));
}

/** useFreeNames suggests them to a form. */
export const useFreeNames = (): Choice[] => useFreeLinks().map(same);

/** useLinkNames are all interfaces, those of the configuration and those of the kernel. */
export function useLinkNames(): Choice[] {
	const names = (useInterfaces() ?? []).map((row) => row.name);
	const { all } = useLinks();
	return [...new Set([...names, ...all.map((link) => link.ifname)])].toSorted().map(same);
}

/** useMemberNames are those that a bond or a bridge can have as members; not the one that the page is about. */
export function useMemberNames(): Choice[] {
	const rows = useInterfaces() ?? [];
	const { id: own } = useParams({ strict: false }) as { id?: string };
	const [{ id = own }] = useUrlState();
	const others = new Set(rows.filter((row) => row.id === id || never.includes(row.type)).map((row) => row.name));
	return useLinkNames().filter(({ value }) => !others.has(value));
}

const never = ["bridge", "wireguard"];

// Their names are the kernel's, with dots and signs that keys of messages cannot have.
const modes = ["active-backup", "802.3ad", "balance-rr", "balance-xor", "broadcast", "balance-tlb", "balance-alb"];
const policies = ["layer2", "layer2+3", "layer3+4", "encap2+3", "encap3+4", "vlan+srcmac"];

const keyOf = (name: string) => name.replace(/\W/g, "_");

/** useModes are the modes of a bond. */
export function useModes(): Choice[] {
	const { t } = useTranslation("network");
	return modes.map((value) => ({ value, label: t(`mode.${keyOf(value)}`) }));
}

/** useHashChoices are what can decide the member that a packet leaves by. */
export function useHashChoices(): Choice[] {
	const { t } = useTranslation("network");
	return [{ value: "", label: t("hash.default") }, ...policies.map(same)];
}

/** useRateChoices are how often LACP messages can be asked for. */
export function useRateChoices(): Choice[] {
	const { t } = useTranslation("network");
	return ["", "slow", "fast"].map((value) => ({ value, label: t(`rate.${value || "default"}`) }));
}
