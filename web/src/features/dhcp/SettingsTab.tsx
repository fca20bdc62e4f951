import { zDhcpSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { settings } from "./resource";

const fields: Field[] = [
	{ name: "enabled", section: "service" },
	{ name: "authoritative", initial: true, section: "service" },
];

/** SettingsTab is how the DHCP server works as a whole. */
export default function SettingsTab() {
	return <SettingsForm settings={settings} ns="dhcp/settings" schema={zDhcpSettingsInput} fields={fields} />;
}
