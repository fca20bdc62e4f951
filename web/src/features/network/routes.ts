import type { NetworkLiveRoute, NetworkRoute } from "@api";
import type { Status } from "@ui";

/** Mark is how a configured route and the kernel stand to each other. */
export type Mark = "live" | "missing" | "differs" | "taken" | "left" | "inactive" | "unknown";

export const looks: Record<Mark, Status> = {
	live: "success",
	missing: "danger",
	differs: "danger",
	taken: "warning",
	left: "warning",
	inactive: "neutral",
	unknown: "neutral",
};

/** What the kernel makes of no metric for IPv6. */
const usual6 = 1024;

type Keyed = Pick<NetworkRoute, "table_name" | "destination" | "metric">;

/** keyOf is what a table has once; those of the kernel have their metric. */
const keyOf = ({ table_name, destination, metric }: Keyed) =>
	`${table_name} ${destination} ${metric || (destination.includes(":") ? usual6 : 0)}`;

type Way = Pick<NetworkRoute, "type" | "gateway" | "dev"> & { onlink?: boolean };

/** wayText is where a route leads, as iproute2 says it. */
export const wayText = ({ type, gateway, dev, onlink }: Way): string =>
	[type === "unicast" ? "" : type, gateway && `via ${gateway}`, dev && `dev ${dev}`, onlink && "onlink"]
		.filter(Boolean)
		.join(" ");

/** leadsThere says whether the kernel's route is the configured one; where no interface is given, the kernel has found it. */
const leadsThere = (wanted: NetworkRoute, there: NetworkLiveRoute) =>
	there.type === wanted.type &&
	(wanted.type !== "unicast" ||
		there.multipath ||
		(there.gateway === wanted.gateway && (wanted.dev === "" || there.dev === wanted.dev)));

/** Kernel is the kernel's routes, by their key. */
export type Kernel = ReadonlyMap<string, NetworkLiveRoute[]>;

export function kernelOf(live: NetworkLiveRoute[]): Kernel {
	const kernel = new Map<string, NetworkLiveRoute[]>();
	for (const one of live) {
		const key = keyOf(one);
		const known = kernel.get(key);
		if (known) known.push(one);
		else kernel.set(key, [one]);
	}
	return kernel;
}

const isOurs = ({ protocol }: NetworkLiveRoute) => protocol === "gateway";

/** markOf is how a configured route stands, by what the kernel has. */
export function markOf(route: NetworkRoute, kernel: Kernel | undefined): Mark {
	if (!route.active) return "inactive";
	if (!kernel) return "unknown";
	const there = kernel.get(keyOf(route)) ?? [];
	if (there.some((one) => isOurs(one) && leadsThere(route, one))) return "live";
	if (there.some(isOurs)) return "differs";
	return there.length > 0 ? "taken" : "missing";
}

/** Compared is one line of the kernel beside what is configured for it. */
export interface Compared {
	id: string;
	revision: number;
	destination: string;
	table_name: string;
	metric: number;
	/** Of the one in the kernel; undefined for what is not there. */
	there?: NetworkLiveRoute;
	wanted?: NetworkRoute;
	/** Undefined for what others made, and nobody here cares about. */
	mark?: Mark;
}

/** isDifference says that the kernel is not as it is configured. */
export const isDifference = ({ mark }: Compared) => mark !== undefined && mark !== "live";

const tables = ["main", "default"];

/** rankOf: differences first, then the tables that people look at, that of the node's own addresses last. */
const rankOf = (one: Compared) =>
	isDifference(one) ? -1 : one.table_name === "local" ? 9 : (tables.indexOf(one.table_name) + 3) % 3;

/** compared is all that the kernel has and all that it should have. */
export function compared(live: NetworkLiveRoute[], routes: NetworkRoute[]): Compared[] {
	const kernel = kernelOf(live);
	const active = new Map(routes.filter((route) => route.active).map((route) => [keyOf(route), route]));
	const markLive = (there: NetworkLiveRoute, wanted: NetworkRoute | undefined): Mark | undefined => {
		if (!wanted) return isOurs(there) ? "left" : undefined;
		if (!isOurs(there)) return markOf(wanted, kernel) === "taken" ? "taken" : undefined;
		return leadsThere(wanted, there) ? "live" : "differs";
	};
	const rows = live.map((there, i): Compared => {
		const wanted = active.get(keyOf(there));
		const { destination, table_name, metric } = there;
		const mark = markLive(there, wanted);
		return { id: `kernel ${i}`, revision: 0, destination, table_name, metric, there, wanted: mark && wanted, mark };
	});
	const absent = [...active.values()]
		.filter((route) => markOf(route, kernel) === "missing")
		.map(
			(wanted): Compared => ({
				id: wanted.id,
				revision: wanted.revision,
				destination: wanted.destination,
				table_name: wanted.table_name,
				metric: wanted.metric ?? 0,
				wanted,
				mark: "missing",
			}),
		);
	return [...absent, ...rows].toSorted((a, b) => rankOf(a) - rankOf(b));
}

/** fits says whether a line is among those that are looked for. */
export function fits(one: Compared, { q = "", table = "", show = "" }: Record<string, unknown>): boolean {
	if (table !== "" && one.table_name !== table) return false;
	if (show === "differences" && !isDifference(one)) return false;
	if (show === "configured" && !one.wanted) return false;
	const way = [one.there, one.wanted].map((route) => (route ? wayText(route) : ""));
	const text = [one.destination, one.table_name, one.there?.protocol, one.there?.source, ...way].join(" ");
	return text.toLowerCase().includes(String(q).toLowerCase());
}
