-- +goose Up
-- What this node's DHCP server does: the one row that there always is.
create table dhcp_settings (
	id            uuid primary key,
	revision      bigint not null,
	created_at    timestamptz not null,
	updated_at    timestamptz not null,
	enabled       boolean not null,
	authoritative boolean not null
);
create unique index dhcp_settings_one on dhcp_settings ((true));

insert into dhcp_settings (id, revision, created_at, updated_at, enabled, authoritative) values
	('00000000-0000-7000-8000-000000067000', 1, '2026-01-01 00:00:00+00', '2026-01-01 00:00:00+00', false, true);

-- interface is a name, not a reference: the interfaces are each node's own, the subnets the cluster's.
create table dhcp_subnets (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	interface   text collate "C" not null,
	subnet      text collate "C" not null,
	pools       text[] not null,
	gateway     text collate "C" not null,
	dns_servers text[] not null,
	ntp_servers text[] not null,
	domain      text collate "C" not null,
	lease_time  integer not null check (lease_time > 0),
	options     text[] not null,
	dns_names   boolean not null,
	active      boolean not null,
	description text not null,
	constraint dhcp_subnets_subnet unique (subnet)
);

-- A client is known by its MAC address or by its client id; the other one is empty.
create table dhcp_reservations (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	subnet_id   uuid not null references dhcp_subnets (id) on delete cascade,
	address     text collate "C" not null,
	mac         text collate "C" not null,
	client_id   text collate "C" not null,
	hostname    text collate "C" not null,
	description text not null,
	constraint dhcp_reservations_address unique (address)
);
create unique index dhcp_reservations_mac on dhcp_reservations (subnet_id, mac) where mac <> '';
create unique index dhcp_reservations_client_id on dhcp_reservations (subnet_id, client_id) where client_id <> '';
create unique index dhcp_reservations_hostname on dhcp_reservations (subnet_id, hostname) where hostname <> '';

-- +goose Down
drop table dhcp_reservations, dhcp_subnets, dhcp_settings;
