import type { Certificate } from "@api";

/** coverOf is the certificate that clients get for a name: its own, else that of a wildcard. */
export function coverOf(certificates: Certificate[], name: string): Certificate | undefined {
	const [, above = ""] = name.match(/^[^.]+\.(.+)$/) ?? [];
	const names = (one: Certificate, wanted: string) => one.names.includes(wanted);
	return certificates.find((one) => names(one, name)) ?? certificates.find((one) => above && names(one, `*.${above}`));
}
