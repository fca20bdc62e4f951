import {
	deleteDhcpLease,
	dhcpStatusOptions,
	dhcpUsageOptions,
	dhcpWake,
	interfacesOptions,
	invalidate,
	listDhcpSubnetsOptions,
	listNetworkInterfacesOptions,
	useCurrent,
} from "@api";
import { useMutation, useQuery } from "@tanstack/react-query";
import type { Choice } from "@ui";

const often = { refetchInterval: 5_000 };
const most = 1000;

export const useStatus = () => useQuery({ ...dhcpStatusOptions(), ...often });

/** useUsage is how full the pools are; undefined while the server cannot be asked. */
export const useUsage = () => useCurrent(useQuery({ ...dhcpUsageOptions(), ...often }));

/** useSubnets are all subnets, by network. */
export const useSubnets = () => useQuery(listDhcpSubnetsOptions({ query: { limit: most, sort: "subnet" } })).data ?? [];

/** useSubnetChoices lets a form choose one. */
export const useSubnetChoices = (): Choice[] =>
	useSubnets().map(({ id, subnet, interface: link }) => ({ value: id, label: `${subnet} (${link})` }));

/** useInterfaceChoices are the interfaces at which clients may be served. */
export const useInterfaceChoices = (): Choice[] =>
	(useQuery(listNetworkInterfacesOptions({ query: { limit: most, sort: "name" } })).data ?? [])
		.filter(({ role }) => role && role !== "wan")
		.map(({ name, role }) => ({ value: name, label: `${name} (${role})` }));

/** useNodeAddress is the first IPv4 address of this node at an interface, with its prefix length. */
export function useNodeAddress(link: string): string | undefined {
	const { data = [] } = useQuery({ ...interfacesOptions(), staleTime: 10_000 });
	const found = data
		.find(({ ifname }) => ifname === link)
		?.addr_info.find(({ family, scope }) => family === "inet" && scope === "global");
	return found && `${found.local}/${found.prefixlen}`;
}

export const useWake = () =>
	useMutation({
		mutationFn: (body: { mac: string; subnet_id: string }) => dhcpWake({ body }),
		onSettled: () => invalidate("audit"),
	});

export const useRelease = () =>
	useMutation({
		mutationFn: (id: string) => deleteDhcpLease({ path: { id } }),
		onSettled: () => invalidate("dhcp", "audit"),
	});
