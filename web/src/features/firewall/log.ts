import type { NetworkInterface, PacketlogEvent } from "@api";
import type { UrlState } from "@ui/urlState";
import type { Start } from "./rule";
import { readService } from "./typed";

/** Message of the stream: what was logged, oldest first, and how much was gone before it could be sent. */
export interface Message {
	events: PacketlogEvent[];
	lost: number;
}

/** Lines are what was heard so far, newest first. */
export interface Lines {
	list: PacketlogEvent[];
	/** How many came in all, also those that are no longer kept. */
	seen: number;
	lost: number;
}

export const nothing: Lines = { list: [], seen: 0, lost: 0 };

/** What a reader can scroll back to. */
const kept = 5_000;

/** added puts a message on top of what was heard. */
export const added = ({ list, seen, lost }: Lines, message: Message): Lines => ({
	list: [...message.events.toReversed(), ...list].slice(0, kept),
	seen: seen + message.events.length,
	lost: lost + message.lost,
});

/** filterKeys are the search parameters, in the URL and in the question to the server. */
export const filterKeys = ["src", "dst", "proto", "action", "rule_id"] as const;

/** pathOf is the stream that has what the URL asks for. */
export function pathOf(search: UrlState): string {
	const asked = filterKeys.flatMap((key) => (search[key] ? [[key, search[key]] as [string, string]] : []));
	const query = new URLSearchParams(asked).toString();
	return query ? `/firewall/log/live?${query}` : "/firewall/log/live";
}

/** zoneOf is the zone of an interface. */
export const zoneOf = (name: string | undefined, roles: NetworkInterface[]) =>
	roles.find((role) => role.name === name)?.role ?? "any";

/** hasPorts says whether a protocol has any. */
export const hasPorts = (proto: string) => proto === "tcp" || proto === "udp";

/** serviceOf is what a packet is about, as it is typed into a rule. */
const serviceOf = ({ proto, port }: PacketlogEvent) => (port ? `${proto}/${port}` : proto);

/** startFrom is the rule that a line of the log suggests: the opposite of what happened, for just this way. */
export function startFrom(event: PacketlogEvent, roles: NetworkInterface[]): Start {
	const service = readService(serviceOf(event)) ? serviceOf(event) : "";
	return {
		name: `${event.source} → ${event.destination} ${serviceOf(event)}`.slice(0, 100),
		action: event.action === "accept" ? "drop" : "accept",
		src_zone: zoneOf(event.interface, roles),
		source: event.source,
		dst_zone: event.out_interface ? zoneOf(event.out_interface, roles) : "any",
		destination: event.destination,
		service,
	};
}
