import type { SysCpu, SysResources } from "@api";
import { append, type History, isGap } from "@ui/history";

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
		// As in df: what is reserved for root is not there for the rest, and the problem goes by the same.
		disk: share(now.disk.used, now.disk.used + now.disk.free),
		conntrack: now.conntrack ? now.conntrack.count : null,
	};
	return { last: now, points: append(points, { time, values }) };
}
