import { zForwardproxySettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { useZoneChoices } from "./requests";
import { settings } from "./resource";

const hasParent = (host: unknown) => Boolean(host);

const fields: Field[] = [
	{ name: "enabled", wide: true, section: "service" },
	{ name: "zones", kind: "choices", useChoices: useZoneChoices, required: false, section: "service" },
	{ name: "allowed_networks", required: false, section: "service" },
	{ name: "default_action", required: false, section: "service" },
	{ name: "contact", required: false, section: "service" },
	{ name: "access_log", section: "log" },
	{ name: "log_retention", required: false, unit: "days", presets: [7, 14, 30, 90], section: "log" },
	{ name: "parent_host", required: false, section: "upstream" },
	{ name: "parent_port", required: false, narrow: true, when: { parent_host: hasParent }, section: "upstream" },
	{ name: "dns_servers", required: false, section: "upstream" },
	{ name: "cache_size", required: false, unit: "mebibytes", presets: [0, 64, 256, 1024], section: "upstream" },
	{ name: "port", required: false, narrow: true, initial: 3128, section: "advanced" },
	{ name: "listen_addresses", required: false, section: "advanced" },
	{ name: "ports", required: false, initial: ["80", "443", "1024-65535"], section: "advanced" },
	{ name: "connect_ports", required: false, initial: ["443"], section: "advanced" },
];

/** SettingsTab is whether, where and for whom the proxy runs, and what it does with every request. */
export default function SettingsTab() {
	return (
		<SettingsForm settings={settings} ns="forwardproxy/settings" schema={zForwardproxySettingsInput} fields={fields} />
	);
}
