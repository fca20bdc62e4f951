import { interfaces, interfacesQueryKey, type SysInterface } from "@api";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { append, type History, isGap, live, type Point, rate } from "./history";

/** linkState: a link that is switched on may still have no cable. */
export function linkState({ flags }: Pick<SysInterface, "flags">): "up" | "noCarrier" | "down" {
	if (!flags.includes("UP")) return "down";
	return flags.includes("LOWER_UP") || flags.includes("RUNNING") ? "up" : "noCarrier";
}

export const rx = (name: string) => `rx ${name}`;
export const tx = (name: string) => `tx ${name}`;

/** withInterfaces adds an answer of /system/interfaces: bytes per second of every link, in both directions. */
export function withInterfaces(
	history: History<SysInterface[]> | undefined,
	now: SysInterface[],
	time: number,
): History<SysInterface[]> {
	const { last = [], points = [] } = history ?? {};
	const before = points.at(-1)?.time ?? time;
	const values: Point["values"] = {};
	for (const link of now) {
		// Another link may have taken the name meanwhile; its index tells.
		const old = last.find((one) => one.ifname === link.ifname && one.ifindex === link.ifindex);
		if (!old || isGap(before, time)) continue;
		values[rx(link.ifname)] = rate(old.rx_bytes, link.rx_bytes, time - before);
		values[tx(link.ifname)] = rate(old.tx_bytes, link.tx_bytes, time - before);
	}
	return { last: now, points: append(points, { time, values }) };
}

const linkHistory = queryOptions({
	queryKey: ["links"],
	queryFn: async ({ client, queryKey, signal }): Promise<History<SysInterface[]>> => {
		const { data } = await interfaces({ signal });
		client.setQueryData(interfacesQueryKey(), data);
		return withInterfaces(client.getQueryData(queryKey), data, Date.now() / 1000);
	},
	...live,
});

/** useLinkHistory is the links of the kernel with their throughput over the last minutes, counting live. */
export const useLinkHistory = () => useQuery(linkHistory);
