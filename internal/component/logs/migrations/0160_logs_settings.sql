-- +goose Up
-- How long this node keeps its logs, and where it sends them: the one row that there always is. A bound that is null is left to
-- the files of journald.
create table logs_settings (
	id                   uuid primary key,
	revision             bigint not null,
	created_at           timestamptz not null,
	updated_at           timestamptz not null,
	journal_max_mb       integer check (journal_max_mb between 64 and 1048576),
	journal_max_days     integer check (journal_max_days between 1 and 3650),
	access_log_max_mb    integer check (access_log_max_mb between 64 and 1048576),
	access_log_max_days  integer check (access_log_max_days between 1 and 3650),
	remote_enabled       boolean not null,
	remote_host          text not null,
	remote_port          integer not null check (remote_port between 1 and 65535),
	remote_server_name   text not null,
	remote_ca            text not null,
	remote_level         text not null,
	remote_units         text[] not null,
	remote_access_log    boolean not null
);
create unique index logs_settings_one on logs_settings ((true));

insert into logs_settings (id, revision, created_at, updated_at, remote_enabled, remote_host, remote_port, remote_server_name, remote_ca, remote_level, remote_units, remote_access_log) values
	('00000000-0000-7000-8000-000000160000', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', false, '', 6514, '', '', 'info', '{}', false);

-- +goose Down
drop table logs_settings;
