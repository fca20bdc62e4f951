-- +goose Up
-- What this node does with its clock: the one row that there always is.
create table ntp_settings (
	id               uuid primary key,
	revision         bigint not null,
	created_at       timestamptz not null,
	updated_at       timestamptz not null,
	listen_addresses text[] not null,
	allow_acl        text[] not null,
	serve_clients    boolean not null,
	makestep         boolean not null,
	rtcsync          boolean not null
);
create unique index ntp_settings_one on ntp_settings ((true));

-- Where every node gets the time from.
create table ntp_pools (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	kind       text not null check (kind in ('pool', 'server')),
	address    text not null,
	iburst     boolean not null,
	prefer     boolean not null,
	minpoll    integer check (minpoll between -6 and 24),
	maxpoll    integer check (maxpoll between -6 and 24)
);
create unique index ntp_pools_address_key on ntp_pools (lower(address));

insert into ntp_settings (id, revision, created_at, updated_at, listen_addresses, allow_acl, serve_clients, makestep, rtcsync) values
	('00000000-0000-7000-8000-000000123000', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00',
	'{}', '{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7}', false, true, true);

-- The same rows, to the last digit, on every node: they are replicated, and nodes compare hashes of them.
insert into ntp_pools (id, revision, created_at, updated_at, kind, address, iburst, prefer) values
	('00000000-0000-7000-8000-000000123001', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 'pool', '0.debian.pool.ntp.org', true, false),
	('00000000-0000-7000-8000-000000123002', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 'pool', '1.debian.pool.ntp.org', true, false),
	('00000000-0000-7000-8000-000000123003', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 'pool', '2.debian.pool.ntp.org', true, false),
	('00000000-0000-7000-8000-000000123004', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', 'pool', '3.debian.pool.ntp.org', true, false);

-- +goose Down
drop table ntp_pools, ntp_settings;
