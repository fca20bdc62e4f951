import type { FirewallAddressInput, FirewallServiceInput } from "@api";
import { addressText, networkText, rangeText } from "./ip";

/** Token is one entry of a typed list. What stands in quotes is a name, whatever it looks like. */
export interface Token {
	text: string;
	quoted: boolean;
}

/** tokensOf reads a list with commas between. A quote within quotes is written twice. */
export function tokensOf(text: string): Token[] {
	const found = [...text.matchAll(/\s*(?:"((?:[^"]|"")*)"|([^,]*))\s*(?:,|$)/g)];
	return found
		.map(([, name, plain = ""]) =>
			name === undefined
				? { text: plain.trim(), quoted: false }
				: { text: name.replaceAll('""', '"').trim(), quoted: true },
		)
		.filter((token) => token.text !== "");
}

/** nameText is a name as it is typed: in quotes where it would be read as something else. */
export const nameText = (name: string, literal: boolean) =>
	literal || /[",]/.test(name) || name !== name.trim() ? `"${name.replaceAll('"', '""')}"` : name;

/** Address is one that is typed straight into a rule. */
export type Address = Pick<FirewallAddressInput, "kind" | "value">;

const host = /^(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** readAddress reads one, unless it is a name of ours. */
export function readAddress(text: string): Address | undefined {
	const single = addressText(text);
	if (single) return { kind: "host", value: single };
	const network = networkText(text);
	if (network) return { kind: "network", value: network };
	const range = rangeText(text);
	if (range) return { kind: "range", value: range };
	const name = text.toLowerCase().replace(/\.$/, "");
	return host.test(name) && !/(^|\.)\d+$/.test(name) ? { kind: "fqdn", value: name } : undefined;
}

/** Service is one that is typed straight into a rule. */
export type Service = Pick<FirewallServiceInput, "protocol" | "port" | "port_end" | "icmp_type">;

const ported = ["tcp", "udp", "sctp"];
const typed = ["icmp", "icmpv6"];
const plain = ["gre", "esp", "ah"];

/** number reads one without leading zeros, within bounds. */
function number(text: string, least: number, most: number): number | undefined {
	const n = /^(0|[1-9]\d*)$/.test(text) ? Number(text) : Number.NaN;
	return n >= least && n <= most ? n : undefined;
}

/** readService reads "tcp", "tcp/8443", "udp/5000-5010", "icmp/8" or "gre". */
export function readService(text: string): Service | undefined {
	const [protocol = "", detail, more] = text.toLowerCase().split("/");
	if (more !== undefined) return;
	if (detail === undefined) {
		const known = [...ported, ...typed, ...plain].includes(protocol);
		return known ? { protocol: protocol as Service["protocol"] } : undefined;
	}
	return detailed(protocol as Service["protocol"], detail);
}

function detailed(protocol: Service["protocol"], detail: string): Service | undefined {
	if (typed.includes(protocol)) {
		const type = number(detail, 0, 255);
		return type === undefined ? undefined : { protocol, icmp_type: type };
	}
	const [first = "", last, more] = detail.split("-");
	const port = number(first, 1, 65_535);
	if (!ported.includes(protocol) || port === undefined || more !== undefined) return;
	if (last === undefined) return { protocol, port };
	const end = number(last, port, 65_535);
	if (end === undefined) return;
	return end === port ? { protocol, port } : { protocol, port, port_end: end };
}

/** Stored is a service as rows have it. */
interface Stored {
	protocol: string;
	port?: number | null;
	port_end?: number | null;
	icmp_type?: number | null;
}

/** serviceText is a service as it is typed. */
export function serviceText({ protocol, port, port_end, icmp_type }: Stored): string {
	const ports = port && port_end && port_end !== port ? `${port}-${port_end}` : port;
	const detail = ports ?? icmp_type;
	return detail === null || detail === undefined ? protocol : `${protocol}/${detail}`;
}

/** readServices reads a typed list. Ports alone belong to the protocol before them: "tcp/80, 443". */
export function readServices(text: string): (Token & { service?: Service })[] {
	let before: Service["protocol"] | undefined;
	return tokensOf(text).map((token) => {
		const bare = !token.quoted && before && /^\d+(-\d+)?$/.test(token.text);
		const service = token.quoted ? undefined : readService(bare ? `${before}/${token.text}` : token.text);
		before = service?.port === undefined ? undefined : service.protocol;
		return { ...token, service };
	});
}
