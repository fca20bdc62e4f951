-- +goose Up
-- The interfaces of this node that the configuration is about. parent and vlan_id belong to
-- a VLAN, members to a bridge or a bond.
create table network_interfaces (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	type        text collate "C" not null check (type in ('ethernet', 'vlan', 'bond', 'bridge', 'wireguard')),
	role        text collate "C" references firewall_zones (name) on update cascade,
	parent      text collate "C" not null,
	vlan_id     integer check (vlan_id between 1 and 4094),
	members     text[] not null,
	description text not null,
	constraint network_interfaces_name unique (name)
);
create index network_interfaces_role on network_interfaces (role);

-- +goose Down
drop table network_interfaces;
