-- +goose Up
-- What was backed up, and what came of it. The archives are files; their rows say which of them are whole.
create table backups (
	id                uuid primary key,
	file              text not null,
	size              bigint not null default 0,
	sha256            text not null default '',
	db_bytes          bigint not null default 0,
	files_bytes       bigint not null default 0,
	kind              text not null check (kind in ('manual', 'scheduled', 'before-restore')),
	status            text not null check (status in ('running', 'done', 'failed')),
	error             jsonb,
	host              text not null,
	version           text not null,
	portable          boolean not null default false,
	started_at        timestamptz not null,
	finished_at       timestamptz,
	progress          jsonb, -- null: nothing runs
	remote_uploads    jsonb not null default '[]',
	verify_status     text not null default 'none' check (verify_status in ('none', 'running', 'done', 'failed')),
	verify_started_at timestamptz,
	verified_at       timestamptz,
	verify_error      jsonb
);
create index backups_latest on backups (started_at desc, id desc);

create table backup_settings (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	daily      boolean not null,
	verify     boolean not null
);
create unique index backup_settings_one on backup_settings ((true));

insert into backup_settings (id, revision, created_at, updated_at, daily, verify) values
	('00000000-0000-7000-8000-000000130000', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', true, true);

-- Where copies go to: plain settings readable, secret ones sealed.
create table backup_targets (
	id           uuid primary key,
	revision     bigint not null,
	created_at   timestamptz not null,
	updated_at   timestamptz not null,
	name         text not null,
	kind         text not null check (kind in ('s3', 'sftp')),
	target_url   text not null, -- made of the settings
	settings     jsonb not null,
	secret_names text[] not null, -- which of them are there
	secrets      bytea,
	active       boolean not null,
	keep         integer not null check (keep between 0 and 365), -- 0: as many as here
	check ((secrets is null) = (secret_names = '{}'))
);
create unique index backup_targets_name on backup_targets (name);

-- How it goes with each target. The host key is the one of the first connection to host.
create table backup_target_status (
	target_id      uuid primary key,
	last_upload_at timestamptz,
	last_error     jsonb,
	last_error_at  timestamptz,
	host           text not null default '',
	host_key       text not null default ''
);

-- +goose Down
drop table backup_target_status, backup_targets, backup_settings, backups;
