import {
	defineSettings,
	type FirewallSettings,
	type FirewallSettingsInput,
	getFirewallSettings,
	getFirewallSettingsQueryKey,
	updateFirewallSettings,
} from "@api";
import { filtering } from "./filtering";
import { narrows } from "./risk";

/** settings say who can always reach the management. */
export const settings = defineSettings<FirewallSettings, FirewallSettingsInput>({
	...filtering,
	risky: narrows,
	key: getFirewallSettingsQueryKey(),
	get: getFirewallSettings,
	update: updateFirewallSettings,
});
