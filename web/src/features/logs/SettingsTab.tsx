import {
	defineSettings,
	getLogsSettings,
	getLogsSettingsQueryKey,
	type LogsSettings,
	type LogsSettingsInput,
	updateLogsSettings,
} from "@api";
import { zLogsSettingsInput } from "@api/schemas";
import type { Field } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { ShippingCard } from "./ShippingCard";

const settings = defineSettings<LogsSettings, LogsSettingsInput>({
	tag: "logs",
	component: "logs",
	key: getLogsSettingsQueryKey(),
	get: getLogsSettings,
	update: updateLogsSettings,
});

const days: Partial<Field> = { required: false, unit: "days", presets: [7, 30, 90, 365] };
const space: Partial<Field> = { required: false, unit: "mebibytes", presets: [512, 1024, 4096] };

const fields: Field[] = [
	{ name: "journal_max_mb", ...space, section: "keeping" },
	{ name: "journal_max_days", ...days, section: "keeping" },
	{ name: "access_log_max_mb", ...space, section: "keeping" },
	{ name: "access_log_max_days", ...days, section: "keeping" },
	{ name: "remote_enabled", wide: true, section: "sending" },
	{ name: "remote_host", required: false, section: "sending" },
	{ name: "remote_port", narrow: true, initial: 6514, section: "sending" },
	{ name: "remote_level", section: "sending" },
	{ name: "remote_access_log", section: "sending" },
	{ name: "remote_units", required: false, wide: true, section: "sending" },
	{ name: "remote_ca", kind: "textarea", required: false, wide: true, section: "sending" },
	{ name: "remote_server_name", required: false, initial: "", section: "advanced" },
];

/** SettingsTab is how long logs are kept here, and where they are sent. */
export default function SettingsTab() {
	return (
		<>
			<ShippingCard />
			<SettingsForm settings={settings} ns="logs/settings" schema={zLogsSettingsInput} fields={fields} />
		</>
	);
}
