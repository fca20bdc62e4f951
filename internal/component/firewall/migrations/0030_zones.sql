-- +goose Up
-- Zones come first: the interfaces of package network are in them.
create table firewall_zones (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null check (name <> 'any'),
	description text not null,
	builtin     boolean not null,
	constraint firewall_zones_name unique (name)
);
insert into firewall_zones (id, revision, created_at, updated_at, name, description, builtin) values
	('00000000-0000-7000-8000-000000300001', 1, now(), now(), 'wan', 'The internet and other networks that are not trusted', true),
	('00000000-0000-7000-8000-000000300002', 1, now(), now(), 'lan', 'Own networks', true),
	('00000000-0000-7000-8000-000000300003', 1, now(), now(), 'dmz', 'Servers that others reach', true),
	('00000000-0000-7000-8000-000000300004', 1, now(), now(), 'mgmt', 'Where the gateway is managed from', true),
	('00000000-0000-7000-8000-000000300005', 1, now(), now(), 'cluster', 'The other nodes of the cluster', true);

-- +goose Down
drop table firewall_zones;
