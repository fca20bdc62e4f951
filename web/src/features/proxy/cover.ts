import type { Certificate, ProxyDomain } from "@api";
import { ascii } from "@ui/hostName";

/**
 * better says which of two certificates for the same name clients get, as the server judges: one that was issued, and of
 * those the one that lasts longest.
 */
const better = (a: Certificate, b: Certificate) => (a.expires_at ?? "") > (b.expires_at ?? "");

/** coverIn finds the certificate that clients get for a name: its own, else that of a wildcard. Many names are looked up, also as people type them. */
export function coverIn(certificates: Certificate[]): (name: string) => Certificate | undefined {
	const byName = new Map<string, Certificate>();
	for (const one of certificates)
		for (const name of one.names) {
			const known = byName.get(name);
			if (!known || better(one, known)) byName.set(name, one);
		}
	return (typed) => {
		const name = ascii(typed);
		const own = byName.get(name);
		const wildcard = byName.get(name.replace(/^[^.]+\./, "*."));
		// One that is yet to come is served to nobody.
		return own?.expires_at || !wildcard?.expires_at ? (own ?? wildcard) : wildcard;
	};
}

/** coverOf looks up one. */
export const coverOf = (certificates: Certificate[], name: string) => coverIn(certificates)(name);

/** namesOf are those that visitors of a site ask for: who is redirected from one to the other needs both. */
export const namesOf = ({ name, www_redirect }: Pick<ProxyDomain, "name" | "www_redirect">) =>
	www_redirect === "off" ? [name] : [name, `www.${name}`];

/** uncoveredOf are those of a site's names that no certificate is for. */
export const uncoveredOf = (site: ProxyDomain, cover: (name: string) => Certificate | undefined) =>
	namesOf(site).filter((name) => !cover(name));

/** firstToEnd is the certificate of several names that fails its visitors first; undefined where a name has none. */
export function firstToEnd(names: string[], cover: (name: string) => Certificate | undefined): Certificate | undefined {
	const found = names.map(cover);
	return found.reduce((a, b) => a && b && (better(a, b) ? b : a));
}
