import type { FirewallConnection, FirewallConnectionFilter } from "@api";
import type { UrlState } from "@ui/urlState";

/** filterKeys are the search parameters, in the URL and in the question to the server. */
export const filterKeys = ["src", "dst", "proto", "port"] as const;

/** filterOf takes from the URL what the server would accept. */
export function filterOf({ src, dst, proto, port }: UrlState): FirewallConnectionFilter {
	const number = Number(port);
	return {
		...(src && { src }),
		...(dst && { dst }),
		...(proto && { proto: proto as FirewallConnectionFilter["proto"] }),
		...(number >= 1 && number <= 65535 && { port: number }),
	};
}

/** isNarrow says whether a filter names anything; cutting everything is nobody's wish. */
export const isNarrow = (filter: FirewallConnectionFilter) => Object.keys(filter).length > 0;

/** only is the filter that fits one connection, and those like it. */
export const only = ({ source, destination, protocol, port }: FirewallConnection): FirewallConnectionFilter => ({
	src: source,
	dst: destination,
	proto: protocol as FirewallConnectionFilter["proto"],
	...(port && { port }),
});

/** at is an address with its port: 192.0.2.1:443, [2001:db8::1]:443. */
export function at(address: string, port: number | undefined): string {
	if (!port) return address;
	return address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`;
}

/** isTranslated says whether somebody else answers, or is answered, than was asked. */
export const isTranslated = (one: FirewallConnection) =>
	one.reply_source !== one.destination || one.reply_destination !== one.source;
