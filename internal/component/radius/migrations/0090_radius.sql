-- +goose Up
-- The RADIUS server: this node's settings, and the clients and users that every node knows.
create table radius_settings (
	id               uuid primary key,
	revision         bigint not null,
	created_at       timestamptz not null,
	updated_at       timestamptz not null,
	enabled          boolean not null,
	listen_addresses text[] not null,
	auth_port        integer not null check (auth_port between 1 and 65535),
	accounting_port  integer not null check (accounting_port between 1 and 65535),
	zones            text[] not null
);
create unique index radius_settings_one on radius_settings ((true));

-- Off, so that nobody is answered before an operator says so; then on all addresses, for the
-- own networks alone.
insert into radius_settings (id, revision, created_at, updated_at, enabled, listen_addresses, auth_port, accounting_port, zones)
values ('00000000-0000-7000-8000-000000900001', 1, now(), now(), false, '{}', 1812, 1813, '{lan}');

-- The secret by which this node asks itself. It is made once, and no part of what operators configure.
create table radius_probe (
	id     uuid primary key,
	secret bytea not null
);
create unique index radius_probe_one on radius_probe ((true));

-- What asks: access points, switches, VPN gateways.
create table radius_clients (
	id                            uuid primary key,
	revision                      bigint not null,
	created_at                    timestamptz not null,
	updated_at                    timestamptz not null,
	name                          text collate "C" not null,
	address                       text collate "C" not null,
	secret                        bytea not null,
	require_message_authenticator boolean not null,
	description                   text not null,
	constraint radius_clients_name unique (name),
	constraint radius_clients_address unique (address)
);

create table radius_users (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	password    bytea not null,
	enabled     boolean not null,
	vlan        integer check (vlan between 1 and 4094),
	description text not null,
	constraint radius_users_name unique (name)
);

-- +goose Down
drop table radius_users, radius_clients, radius_probe, radius_settings;
