import type { DnsSettings, DnsSettingsInput } from "@api";

const same = (a: string[] = [], b: string[] = []) => a.toSorted().join() === b.toSorted().join();

/** cutsOff says whether a change of the settings can take the names away from those who manage the node. */
export const cutsOff = (before: DnsSettings, body: DnsSettingsInput) =>
	(before.enabled && body.enabled === false) ||
	!same(before.listen_addresses, body.listen_addresses) ||
	!same(before.access_acl, body.access_acl);
