import { type DhcpLease, type ListQuery, listDhcpLeases } from "@api";

/** LeaseRow is a lease as a table has it: its address tells it apart. */
export type LeaseRow = DhcpLease & { id: string; revision: number };

async function list({ query, signal }: { query?: ListQuery; signal?: AbortSignal }) {
	const { data, response } = await listDhcpLeases({ query, signal });
	return { data: data.map((one) => ({ ...one, id: one.address, revision: 0 })), response };
}

export const leases = {
	path: "/dhcp/leases",
	tag: "dhcp",
	name: (one: LeaseRow) => one.hostname || one.address,
	list,
};

/** labelOf is the part of a client's name that a reservation can have; empty for none. */
export const labelOf = (hostname: string): string => {
	const label = hostname.toLowerCase().split(".")[0] ?? "";
	return /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(label) && !trusted.includes(label) ? label : "";
};

/** Names that browsers and Windows ask for what to trust. */
const trusted = ["localhost", "wpad", "isatap"];

/** reservationOf is what keeps the address of a lease for its client. */
export const reservationOf = ({ subnet_id, address, mac, client_id, hostname }: DhcpLease) => ({
	subnet_id,
	address,
	mac,
	client_id: mac ? "" : client_id,
	hostname: labelOf(hostname),
	description: "",
});
