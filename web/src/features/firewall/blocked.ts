import type { PacketlogEvent } from "@api";

/** Sender is who was turned away, how often, and what it was after. */
export interface Sender {
	address: string;
	count: number;
	services: string[];
}

/** Blocked is what the log has of packets that did not pass. */
export interface Blocked {
	count: number;
	/** Of the first of them; undefined when there is none. */
	since?: string;
	sources: Sender[];
}

const most = 5;
const servicesShown = 3;

/** blockedOf counts what was dropped or rejected by its source, the busiest first. */
export function blockedOf(events: PacketlogEvent[]): Blocked {
	const stopped = events.filter(({ action }) => action === "drop" || action === "reject");
	const sources = busiest(stopped.map(({ source }) => source))
		.slice(0, most)
		.map(([address, count]) => ({
			address,
			count,
			services: busiest(stopped.filter(({ source }) => source === address).map(serviceOf))
				.slice(0, servicesShown)
				.map(([service]) => service),
		}));
	return { count: stopped.length, since: stopped[0]?.timestamp, sources };
}

const serviceOf = ({ proto, port }: PacketlogEvent) => (port ? `${proto}/${port}` : proto);

/** busiest is each name with how often it occurs, the most frequent first. */
function busiest(names: string[]): [string, number][] {
	const counts = new Map<string, number>();
	for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
	return [...counts].sort((a, b) => b[1] - a[1] || a[0].localeCompare(b[0]));
}
