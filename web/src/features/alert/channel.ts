import type { AlertChannel, AlertChannelInputWritable, AlertSettingsWritable } from "@api";
import { storedInput } from "@ui";

/** Flat is the settings of a channel as fields of their own. */
export type Flat = Partial<AlertSettingsWritable>;

const settingNames = [
	"format",
	"topic",
	"secret",
	"token",
	"smtp_host",
	"smtp_port",
	"use_tls",
	"from",
	"username",
	"password",
] as const satisfies (keyof Flat)[];

/** flatOf lays the settings of a channel beside its other fields. */
export const flatOf = (channel: AlertChannel): AlertChannel & Flat => ({ ...channel, ...channel.settings });

/** nestedOf puts them back: a form has a field for each setting, the API has them in one. */
export function nestedOf(body: AlertChannelInputWritable & Flat): AlertChannelInputWritable {
	const names: readonly string[] = settingNames;
	const entries = Object.entries(body).filter(([name]) => name !== "settings");
	const part = (of: boolean) => Object.fromEntries(entries.filter(([name]) => names.includes(name) === of));
	return { ...(part(false) as AlertChannelInputWritable), settings: part(true) };
}

/** channelInput is a stored channel as an update takes it; what is secret stays as it is. */
export const channelInput = (channel: AlertChannel & Flat): AlertChannelInputWritable =>
	nestedOf(storedInput(channel, "last_error", "last_error_at", "last_ok_at") as AlertChannelInputWritable & Flat);
