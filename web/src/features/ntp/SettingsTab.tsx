import { zNtpSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { settings } from "./resource";

const fields: Field[] = [
	{ name: "enabled", section: "service" },
	{ name: "serve_clients", section: "service" },
	{ name: "allow_acl", required: false, section: "clients" },
	{ name: "listen_addresses", required: false, section: "clients" },
	{ name: "makestep", initial: true, section: "advanced" },
	{ name: "rtcsync", initial: true, section: "advanced" },
];

/** SettingsTab is how the time server works as a whole. */
export default function SettingsTab() {
	return <SettingsForm settings={settings} ns="ntp/settings" schema={zNtpSettingsInput} fields={fields} />;
}
