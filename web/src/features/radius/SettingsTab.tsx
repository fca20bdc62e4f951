import { zRadiusSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { useZoneChoices } from "./requests";
import { settings } from "./resource";

const fields: Field[] = [
	{ name: "enabled", wide: true, section: "service" },
	{ name: "zones", kind: "choices", useChoices: useZoneChoices, required: false, section: "service" },
	{ name: "listen_addresses", required: false, section: "service" },
	{ name: "auth_port", narrow: true, initial: 1812, section: "advanced" },
	{ name: "accounting_port", narrow: true, initial: 1813, section: "advanced" },
];

/** SettingsTab is whether, where and for whom the server runs. */
export default function SettingsTab() {
	return <SettingsForm settings={settings} ns="radius/settings" schema={zRadiusSettingsInput} fields={fields} />;
}
