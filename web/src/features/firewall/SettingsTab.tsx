import { useSettings } from "@api";
import { zFirewallSettingsInput } from "@api/schemas";
import { type Field, Notice } from "@ui";
import { SettingsForm } from "@ui/SettingsForm";
import { useTranslation } from "@ui/translation";
import { useZoneNames } from "./requests";
import { isOpen } from "./risk";
import { settings } from "./settings";

const fields: Field[] = [
	{ name: "lockout_zones", kind: "choices", useChoices: useZoneNames, required: false },
	{ name: "lockout_networks", required: false },
];

/** SettingsTab narrows who can always reach the management, and says what that means. */
export default function SettingsTab() {
	const { t } = useTranslation("firewall");
	const { data } = useSettings(settings);
	return (
		<>
			<div className="gw-fw-notice">
				{data && !isOpen(data) ? (
					<Notice kind="warning" title={t("settings.narrowed")}>
						{t("settings.narrowedText")}
					</Notice>
				) : (
					<Notice kind="info" title={t("settings.open")}>
						{t("settings.openText")}
					</Notice>
				)}
			</div>
			<SettingsForm settings={settings} ns="firewall/settings" schema={zFirewallSettingsInput} fields={fields} />
		</>
	);
}
