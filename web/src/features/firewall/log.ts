import type { FirewallService, NetworkInterface, PacketlogEvent } from "@api";
import type { UrlState } from "@ui/urlState";
import type { Start } from "./rule";

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

const hosts = (address: string) => `${address}/${address.includes(":") ? 128 : 32}`;

/** zoneOf is the zone of an interface. */
export const zoneOf = (name: string | undefined, roles: NetworkInterface[]) =>
	roles.find((role) => role.name === name)?.role ?? "any";

/** serviceOf is the service that a packet belongs to: the one with that port alone, or for ICMP any of the protocol. */
export function serviceOf({ proto, port }: PacketlogEvent, services: FirewallService[]): FirewallService | undefined {
	const spoken = services.filter((service) => service.protocol === proto);
	if (proto === "icmp" || proto === "icmpv6") return spoken[0];
	return spoken.find((service) => service.port === port && (service.port_end ?? port) === port);
}

/** hasPorts says whether a protocol has any. */
export const hasPorts = (proto: string) => proto === "tcp" || proto === "udp";

/** startFrom is the rule that a line of the log suggests: the opposite of what happened, for just this way. */
export function startFrom(event: PacketlogEvent, roles: NetworkInterface[], service: string | undefined): Start {
	const what = [event.proto, event.port].filter(Boolean).join(" ");
	return {
		name: `${event.source} → ${event.destination} ${what}`.slice(0, 100),
		action: event.action === "accept" ? "drop" : "accept",
		src_zone: zoneOf(event.interface, roles),
		src_kind: "cidr",
		src_cidr: hosts(event.source),
		dst_zone: event.out_interface ? zoneOf(event.out_interface, roles) : "any",
		dst_kind: "cidr",
		dst_cidr: hosts(event.destination),
		...(service ? { service_kind: "object", service_object_id: service } : { service_kind: "any" }),
	};
}
