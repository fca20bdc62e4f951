import { zNtpSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { settings } from "./resource";

const fields: Field[] = [
	{ name: "enabled" },
	{ name: "serve_clients" },
	{ name: "allow_acl", required: false },
	{ name: "listen_addresses", required: false },
	{ name: "makestep" },
	{ name: "rtcsync" },
];

/** SettingsTab is how the time server works as a whole. */
export default function SettingsTab() {
	return <SettingsForm settings={settings} ns="ntp/settings" schema={zNtpSettingsInput} fields={fields} />;
}
