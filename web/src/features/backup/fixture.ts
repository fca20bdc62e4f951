import type { Backup, BackupTarget, RestorePreview, RestoreState } from "@api";

/** moment is that many hours before now, in the API's form. */
export const moment = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

export const backup = (more: Partial<Backup> = {}): Backup => ({
	id: "b1",
	file: "b1.gwb",
	size: 1_572_864,
	sha256: "ab",
	db_bytes: 4_000_000,
	files_bytes: 4_000,
	kind: "manual",
	status: "done",
	host: "gw1",
	version: "1.0.0",
	portable: true,
	started_at: moment(3),
	finished_at: moment(3),
	remote_uploads: [],
	verify_status: "none",
	verified_at: null,
	available: (more.status ?? "done") === "done",
	...more,
});

export const target = {
	...{ id: "t1", revision: 1, created_at: moment(99), updated_at: moment(99) },
	...{ name: "Vault", kind: "sftp", target_url: "sftp://ann@vault.example.com:22/srv", active: true, keep: 0 },
	settings: { host: "vault.example.com", username: "ann", port: 22, password: "***SET***" },
	...{ host_key: "SHA256:pinned", last_upload_at: null, last_error_at: null, foreign_archives: 0 },
} as BackupTarget;

export const preview: RestorePreview = {
	version: "1.0.0",
	created_at: moment(3),
	host: "old-gw",
	same_host: false,
	tables: [
		{ table: "proxy_domains", rows_now: 4, rows_then: 6, added: 3, removed: 1, changed: 2 },
		{ table: "alert_events", rows_now: 36, rows_then: 35, added: 0, removed: 0, changed: 0 },
	],
	files: [
		{ name: "setup.json", differs: true },
		{ name: "node.id", differs: false },
	],
	links: [
		{ name: "lan0", matches: true, candidates: [] },
		{ name: "wan0", matches: false, candidates: ["eth1", "eth2"] },
		{ name: "dmz0", matches: false, candidates: ["eth1", "eth2"] },
	],
	accounts: [
		{ email: "eve@example.com", now: "disabled", after: "admin", password_changes: false, second_factor: "" },
		{ email: "mallory@example.com", now: "missing", after: "viewer", password_changes: false, second_factor: "" },
		{ email: "trent@example.com", now: "admin", after: "admin", password_changes: true, second_factor: "removed" },
		{ email: "walter@example.com", now: "viewer", after: "viewer", password_changes: false, second_factor: "returned" },
	],
	problems: [{ message: "the backup is of an older version", text: "the backup is of an older version" }],
};

const codes = ["check", "load", "swap", "confirm"] as const;

/** restoring is a restore whose step at that place runs. */
export const restoring = (at: number, more: Partial<RestoreState> = {}): RestoreState => ({
	backup_id: "b1",
	step: codes[at] ?? "",
	steps: codes.map((code, n) => ({
		code,
		state: n < at ? "done" : n === at ? "running" : "waiting",
		started_at: n <= at ? moment(0) : null,
		finished_at: n < at ? moment(0) : null,
	})),
	confirm_until: null,
	seconds_left: 0,
	blocked: false,
	result: "",
	started_at: moment(0),
	finished_at: null,
	...more,
});

export const waiting = restoring(3, { confirm_until: moment(-0.1), seconds_left: 360 });

export const none: RestoreState = { ...restoring(0), backup_id: "", step: "", steps: [], started_at: null };

const health = { version: "1.0.0", hostname: "gw1", os: "", kernel: "", database: true, setup_complete: true };
const status = {
	...{ passphrase: false, running: "", last_success_at: null, next_at: null },
	...{ used_bytes: 0, free_bytes: 0, needed_bytes: 0 },
};

/** answers is what the server says of these backups. */
export const answers = (backups: Backup[]): Record<string, unknown> => ({
	"GET /backups": backups,
	"GET /backups/restore": none,
	"GET /backups/status": status,
	"GET /backups/settings": { id: "s", revision: 3, daily: true, verify: false },
	"GET /system/retention": { backups: 14, audit_days: 365 },
	"GET /backup-targets": [target],
	"GET /problems/states/backup_target": { known: true, states: {} },
});

/** all is what every page asks, too. */
export const all = (role: string, backups: Backup[] = []): Record<string, unknown> => ({
	...answers(backups),
	"GET /system/health": health,
	"GET /auth/me": { id: "1", email: "ann@example.com", role, totp_enabled: false, limited: false },
	"GET /system/components": [],
	"GET /problems": { version: "1", problems: [], unknown: [], counts: {} },
});

/** verified is a backup that went well in every way. */
export const verified = backup({
	verify_status: "done",
	verified_at: moment(2),
	remote_uploads: [{ target_id: "t1", name: "Vault", state: "done", at: moment(3) }],
});
