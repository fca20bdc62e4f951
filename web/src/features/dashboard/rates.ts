import type { SysCpu, SysInterface, SysResources } from "@api";
import { append, type History, isGap, type Point, rate } from "@ui/history";

/** cpuShare is how much of the time between two looks the processors were busy: 0 to 1. */
export function cpuShare(before: SysCpu, now: SysCpu): number | null {
	const total = now.total_seconds - before.total_seconds;
	const busy = now.busy_seconds - before.busy_seconds;
	return total > 0 && busy >= 0 ? Math.min(1, busy / total) : null;
}

const share = (part: number, whole: number) => (whole > 0 ? part / whole : null);

/** withResources adds an answer of /system/resources. */
export function withResources(
	history: History<SysResources> | undefined,
	now: SysResources,
	time: number,
): History<SysResources> {
	const { last, points = [] } = history ?? {};
	const fresh = last && !isGap(points.at(-1)?.time ?? time, time);
	const values = {
		cpu: fresh ? cpuShare(last.cpu, now.cpu) : null,
		memory: share(now.memory.used, now.memory.total),
		disk: share(now.disk.used, now.disk.total),
		conntrack: now.conntrack ? now.conntrack.count : null,
	};
	return { last: now, points: append(points, { time, values }) };
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
