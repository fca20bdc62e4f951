import { zDnsSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { settings } from "./resource";

const fields: Field[] = [
	{ name: "enabled", wide: true, section: "service" },
	{ name: "listen_addresses", section: "service" },
	{ name: "access_acl", required: false, section: "service" },
	{ name: "upstream_forwards", required: false, section: "resolution" },
	{ name: "dnssec", section: "resolution" },
	{ name: "cache_min_ttl", initial: 0, unit: "seconds", presets: [0, 60, 300], section: "advanced" },
	{ name: "cache_max_ttl", initial: 86_400, unit: "seconds", presets: [3600, 86_400, 604_800], section: "advanced" },
	{ name: "qname_minimisation", initial: true, section: "advanced" },
];

/** SettingsTab is how the resolver works as a whole. */
export default function SettingsTab() {
	return <SettingsForm settings={settings} ns="dns/settings" schema={zDnsSettingsInput} fields={fields} />;
}
