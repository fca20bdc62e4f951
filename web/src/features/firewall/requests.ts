import {
	type FirewallConnectionFilter,
	type FirewallCounter,
	type FirewallFinding,
	type FirewallQuestion,
	firewallConnections,
	firewallConnectionsOptions,
	firewallCutConnections,
	firewallExplain,
	firewallFindingsOptions,
	firewallMatrixOptions,
	interfacesOptions,
	invalidate,
	listFirewallCountersOptions,
	listFirewallServicesOptions,
	listFirewallZonesOptions,
	listNetworkInterfacesOptions,
	listUplinkGroupsOptions,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";
import { useTranslation } from "@ui/translation";

const most = 1000;
const minute = 60_000;

/** useZones are the zones by name. */
export const useZones = () =>
	useQuery({ ...listFirewallZonesOptions({ query: { limit: most, sort: "name" } }), staleTime: minute }).data;

/** useZoneNames lets a form choose among the zones alone. */
export const useZoneNames = (): Choice[] => (useZones() ?? []).map(({ name }) => ({ value: name, label: name }));

/** useSourceZones lets a form choose where packets come from. */
export function useSourceZones(): Choice[] {
	const { t } = useTranslation("firewall");
	return [{ value: "any", label: t("zone.any") }, ...useZoneNames()];
}

/** useTargetZones lets a form choose where packets go; every destination is also the gateway itself. */
export function useTargetZones(): Choice[] {
	const { t } = useTranslation("firewall");
	return [{ value: "any", label: t("zone.anyTarget") }, ...useZoneNames()];
}

/** useReachedZones are the destinations of an assertion: the gateway itself is one of its own. */
export function useReachedZones(): Choice[] {
	const { t } = useTranslation("firewall");
	return [{ value: "any", label: t("zone.any") }, { value: "gateway", label: t("zone.gateway") }, ...useZoneNames()];
}

/** useUplinkGroups are the groups of uplinks by name. */
export const useUplinkGroups = () =>
	useQuery({ ...listUplinkGroupsOptions({ query: { limit: most, sort: "name" } }), staleTime: minute }).data;

/** useUplinkChoices lets a form choose the group that connections leave by, or leave that to the routes. */
export function useUplinkChoices(): Choice[] {
	const { t } = useTranslation("firewall");
	const groups = (useUplinkGroups() ?? []).map(({ id, name, family }) => ({
		value: id,
		label: `${name} (${family === "inet6" ? "IPv6" : "IPv4"})`,
	}));
	return [{ value: "", label: t("rule.byRoutes") }, ...groups];
}

/** useRoles are the interfaces that have a place in the configuration. */
export const useRoles = () => useQuery(listNetworkInterfacesOptions({ query: { limit: most, sort: "name" } })).data;

/** useLinks are the interfaces that the system has, but for the one to itself. */
export const useLinks = () =>
	useQuery({ ...interfacesOptions(), staleTime: minute }).data?.filter((link) => !link.flags.includes("LOOPBACK"));

/** useLinkChoices lets a form choose the interface that a packet comes in on; by the route back when none is chosen. */
export function useLinkChoices(): Choice[] {
	const { t } = useTranslation("firewall");
	const roles = useRoles();
	const zone = (name: string) => roles?.find((role) => role.name === name)?.role;
	const links = (useLinks() ?? []).map(({ ifname }) => ({
		value: ifname,
		label: zone(ifname) ? `${ifname} (${zone(ifname)})` : ifname,
	}));
	return [{ value: "", label: t("explain.byRoute") }, ...links];
}

/** useServices are the first thousand services by name. */
export const useServices = () =>
	useQuery({ ...listFirewallServicesOptions({ query: { limit: most, sort: "name" } }), staleTime: minute }).data;

/** Counters are how often each rule was hit, and the most that any was. */
export interface Counters {
	of: Map<string, FirewallCounter>;
	most: number;
}

function counted(list: FirewallCounter[]): Counters {
	return {
		of: new Map(list.map((one) => [one.rule_id, one])),
		most: list.reduce((high, { packets }) => Math.max(high, packets), 0),
	};
}

/** useCounters looks every five seconds, as long as somebody sees the page. */
export const useCounters = () =>
	useQuery({
		...listFirewallCountersOptions(),
		refetchInterval: 5_000,
		select: counted,
		// Comparing ten thousand of them each time would be felt while scrolling.
		structuralSharing: false,
	}).data;

/** byRule has one of each rule: what covers a rule also says why it was never hit. */
const byRule = (list: FirewallFinding[]) =>
	new Map(
		list
			.toSorted((a, b) => Number(Boolean(a.by_rule_id)) - Number(Boolean(b.by_rule_id)))
			.map((one) => [one.rule_id, one]),
	);

/** useFindings is what is odd about rules, by the rule. */
export const useFindings = () =>
	useQuery({ ...firewallFindingsOptions(), refetchInterval: minute, select: byRule }).data;

export const useMatrix = () => useQuery(firewallMatrixOptions());

export const useExplain = () =>
	useMutation({ mutationFn: async (body: FirewallQuestion) => (await firewallExplain({ body })).data });

const shown = 500;

/** useConnections are the first few that the kernel knows; how many there are in all stands beside them. */
export const useConnections = (filter: FirewallConnectionFilter) =>
	useQuery({
		...firewallConnectionsOptions({ query: { ...filter, limit: shown } }),
		refetchInterval: 5_000,
		placeholderData: (before) => before,
	});

/** As many the server lists at once. */
const listed = 5000;

/** everyConnection is what a file has of them. */
export async function everyConnection(filter: FirewallConnectionFilter) {
	const { data } = await firewallConnections({ query: { ...filter, limit: listed } });
	return { rows: data.connections, total: data.total };
}

export const useCut = () =>
	useMutation({
		mutationFn: async (body: FirewallConnectionFilter) => (await firewallCutConnections({ body })).data,
		onSettled: () => invalidate("firewall"),
	});
