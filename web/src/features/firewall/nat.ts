import type { FirewallNatRule } from "@api";

type Match = Pick<FirewallNatRule, "source_cidr" | "destination_cidr" | "dest_port" | "dest_port_end">;
type Target = Pick<FirewallNatRule, "target_address" | "target_port" | "target_port_end">;

/** span is one port, or several: "80", "8000-8010"; "" for all. */
export const span = (from: number | null | undefined, to: number | null | undefined) =>
	from ? (to && to !== from ? `${from}-${to}` : String(from)) : "";

const at = (address: string, ports: string) => {
	if (!ports) return address;
	if (address.includes("/")) return `${address} :${ports}`;
	return address.includes(":") ? `[${address}]:${ports}` : `${address}:${ports}`;
};

/** plain is a network without the length of its prefix where it is one address. */
const plain = (cidr: string) => cidr.replace(/^([^:]+)\/32$/, "$1").replace(/\/128$/, "");

/** matchOf is which packets a NAT rule is about: "10.0.0.0/8 → 192.0.2.1:443"; "" for all. */
export function matchOf({ source_cidr, destination_cidr, dest_port, dest_port_end }: Match): string {
	const to = at(plain(destination_cidr), span(dest_port, dest_port_end));
	return [plain(source_cidr), to].filter(Boolean).join(" → ");
}

/** targetOf is what stands there afterwards; "" when it is the interface's own address. */
export const targetOf = ({ target_address, target_port, target_port_end }: Target) =>
	at(target_address, span(target_port, target_port_end));

/** storedNat is a NAT rule as a batch takes it: at the place that it has, without what the server finds out. */
export function storedNat(rule: FirewallNatRule): object {
	const { id: _, revision: __, created_at: ___, updated_at: ____, warning: _____, ...rest } = rule;
	return Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== null && value !== ""));
}
