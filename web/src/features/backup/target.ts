import type { BackupTarget, BackupTargetInputWritable, BackupTargetSettingsWritable } from "@api";
import { storedInput } from "@ui";

/** Flat is the settings of a target as fields of their own. */
export type Flat = Partial<BackupTargetSettingsWritable>;

const settingNames = [
	"endpoint",
	"region",
	"bucket",
	"access_key",
	"secret_key",
	"path_prefix",
	"https",
	"host",
	"port",
	"username",
	"password",
	"private_key",
	"remote_dir",
	"host_key_fingerprint",
] as const satisfies (keyof Flat)[];

/** flatOf lays the settings of a target beside its other fields. */
export const flatOf = (target: BackupTarget): BackupTarget & Flat => ({ ...target, ...target.settings });

/** nestedOf puts them back: a form has a field for each setting, the API has them in one. A key may be pasted as it is. */
export function nestedOf(body: BackupTargetInputWritable & Flat): BackupTargetInputWritable {
	const names: readonly string[] = settingNames;
	const entries = Object.entries(body).filter(([name]) => name !== "settings");
	const part = (of: boolean) => Object.fromEntries(entries.filter(([name]) => names.includes(name) === of));
	const settings: Flat = part(true);
	if (settings.private_key) settings.private_key = encoded(settings.private_key);
	return { ...(part(false) as BackupTargetInputWritable), settings };
}

/** encoded is base64 of a key in its file's form; what is base64 already, or masked, stays. */
const encoded = (key: string) => (key.includes("-----BEGIN") ? btoa(`${key.trim()}\n`) : key);

/** targetInput is a stored target as an update takes it; what is secret stays as it is. */
export const targetInput = (target: BackupTarget & Flat): BackupTargetInputWritable =>
	nestedOf(
		storedInput(
			target,
			...(["target_url", "host_key", "foreign_archives", "last_error", "last_error_at", "last_upload_at"] as const),
		) as BackupTargetInputWritable & Flat,
	);
