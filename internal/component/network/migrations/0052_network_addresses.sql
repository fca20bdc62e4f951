-- +goose Up
-- What the kernel makes of an interface, and the addresses and routes of this node.
alter table network_interfaces
	add column mtu            integer check (mtu between 68 and 65535),
	add column bond_mode      text collate "C" not null default '',
	add column lacp_rate      text collate "C" not null default '',
	add column hash_policy    text collate "C" not null default '',
	add column primary_member text collate "C" not null default '',
	add column miimon         integer check (miimon between 1 and 60000),
	add column stp            boolean not null default false,
	add column vlan_filtering boolean not null default false;

-- Until now VLANs, bonds and bridges were only described. What was described is used as it is
-- found, in its zone; to have it made it is declared again, with the checks that go with that.
update network_interfaces set type = 'ethernet', parent = '', vlan_id = null, members = '{}' where type in ('vlan', 'bond', 'bridge');

create table network_addresses (
	id           uuid primary key,
	revision     bigint not null,
	created_at   timestamptz not null,
	updated_at   timestamptz not null,
	interface_id uuid not null,
	address      text collate "C" not null,
	prefix       integer not null check (prefix between 1 and 128),
	is_vip       boolean not null,
	vip_priority integer not null check (vip_priority between 1 and 254),
	description  text not null,
	constraint network_addresses_interface foreign key (interface_id) references network_interfaces (id),
	constraint network_addresses_once unique (interface_id, address)
);
create index network_addresses_address on network_addresses (address);

create table network_routes (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	destination text collate "C" not null,
	type        text collate "C" not null check (type in ('unicast', 'blackhole', 'unreachable', 'prohibit')),
	gateway     text collate "C" not null,
	dev         text collate "C" not null,
	metric      bigint check (metric between 1 and 4294967295),
	table_name  text collate "C" not null,
	onlink      boolean not null,
	active      boolean not null,
	comment     text not null
);
-- The kernel tells routes apart by this, and takes a missing metric of IPv6 for 1024.
create unique index network_routes_once on network_routes
	(table_name, destination, coalesce(metric, case when destination like '%:%' then 1024 else 0 end));

-- +goose Down
drop table network_routes;
drop table network_addresses;
alter table network_interfaces drop column mtu, drop column bond_mode, drop column lacp_rate, drop column hash_policy,
	drop column primary_member, drop column miimon, drop column stp, drop column vlan_filtering;
