import { zDnsSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { settings } from "./resource";

const fields: Field[] = [
	{ name: "enabled" },
	{ name: "listen_addresses" },
	{ name: "access_acl", required: false },
	{ name: "upstream_forwards", required: false },
	{ name: "dnssec" },
	{ name: "qname_minimisation" },
	{ name: "cache_min_ttl", narrow: true },
	{ name: "cache_max_ttl", narrow: true },
];

/** SettingsTab is how the resolver works as a whole. */
export default function SettingsTab() {
	return <SettingsForm settings={settings} ns="dns/settings" schema={zDnsSettingsInput} fields={fields} />;
}
