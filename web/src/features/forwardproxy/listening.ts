import type { ForwardproxySettings } from "@api";

type Listening = Pick<ForwardproxySettings, "enabled" | "listen_addresses" | "port" | "zones">;

/** listensOn are the addresses with the port, as clients enter them; none means all addresses. */
export const listensOn = ({ listen_addresses, port }: Listening) =>
	listen_addresses.map((address) => (address.includes(":") ? `[${address}]:${port}` : `${address}:${port}`));

const isLoopback = (address: string) => address.startsWith("127.") || address === "::1";

/** openIn are the zones in which the packet filter opens the port: none while nobody but this node could connect. */
export function openIn({ enabled, listen_addresses: listen, zones }: Listening): string[] {
	const reachable = listen.length === 0 || !listen.every(isLoopback);
	return enabled && reachable ? zones : [];
}
