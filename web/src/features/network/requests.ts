import {
	getNetworkInterfaceOptions,
	listNetworkInterfacesOptions,
	type NetworkInterface,
	type SysInterface,
	useCurrent,
} from "@api";
import { useQuery } from "@tanstack/react-query";
import type { Point } from "@ui/history";
import { useLinkHistory } from "@ui/links";

const most = 1000;

/** useInterfaces are the first thousand configured interfaces by name. */
export const useInterfaces = (): NetworkInterface[] | undefined =>
	useQuery(listNetworkInterfacesOptions({ query: { limit: most, sort: "name" } })).data;

export const useInterface = (id: string) => useQuery(getNetworkInterfaceOptions({ path: { id } }));

/** Links are what the kernel has, as it was seen just now. */
export interface Links {
	/** False as long as nobody knows: an old answer must not look like a new one. */
	known: boolean;
	all: SysInterface[];
	of: (name: string) => SysInterface | undefined;
	points: Point[];
}

/** useLinks looks every two seconds, as long as somebody sees the page. */
export function useLinks(): Links {
	const query = useLinkHistory();
	const { data } = query;
	const current = useCurrent(query);
	const all = data?.last?.filter((link) => !link.flags.includes("LOOPBACK")) ?? [];
	return {
		known: Boolean(current?.last),
		all,
		of: (name) => all.find((link) => link.ifname === name),
		points: data?.points ?? [],
	};
}
