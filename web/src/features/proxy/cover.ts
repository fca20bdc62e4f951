import type { Certificate } from "@api";

/** coverIn finds the certificate that clients get for a name: its own, else that of a wildcard. Many names are looked up. */
export function coverIn(certificates: Certificate[]): (name: string) => Certificate | undefined {
	const byName = new Map(certificates.flatMap((one) => one.names.map((name) => [name, one] as const)));
	return (name) => byName.get(name) ?? byName.get(name.replace(/^[^.]+\./, "*."));
}

/** coverOf looks up one. */
export const coverOf = (certificates: Certificate[], name: string) => coverIn(certificates)(name);
