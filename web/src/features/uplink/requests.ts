import {
	getUplinkOptions,
	listNetworkInterfacesOptions,
	listUplinkGroupsOptions,
	listUplinkMembersOptions,
	listUplinksOptions,
	uplinkStatusOptions,
	useCurrent,
} from "@api";
import { useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

const most = 1000;
const byName = { query: { limit: most, sort: "name" } };

export const useUplinks = () => useQuery(listUplinksOptions(byName)).data ?? [];

export const useUplink = (id: string) => useQuery(getUplinkOptions({ path: { id } }));

/** useMembershipsOf are the groups that an uplink is in, by tier. */
export const useMembershipsOf = (uplink: string) =>
	useQuery(listUplinkMembersOptions({ query: { limit: most, sort: "tier", filter: `uplink_id:${uplink}` } }));

export const useGroups = () => useQuery(listUplinkGroupsOptions(byName)).data ?? [];

export const useUplinkChoices = (): Choice[] => useUplinks().map(({ id, name }) => ({ value: id, label: name }));

export const useGroupChoices = (): Choice[] => useGroups().map(({ id, name }) => ({ value: id, label: name }));

/** useLinkNames are the interfaces that an uplink can leave by. */
export const useLinkNames = (): Choice[] =>
	(useQuery(listNetworkInterfacesOptions(byName)).data ?? []).map(({ name }) => ({ value: name, label: name }));

/** useStatus is what the monitor found; undefined while it cannot be asked. */
export const useStatus = () => useCurrent(useQuery({ ...uplinkStatusOptions(), refetchInterval: 2_000 }));
