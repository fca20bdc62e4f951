-- +goose Up
-- The resolver: this node's settings, and the zones and records that every node serves.
create table dns_settings (
	id                 uuid primary key,
	revision           bigint not null,
	created_at         timestamptz not null,
	updated_at         timestamptz not null,
	upstream_forwards  text[] not null,
	access_acl         text[] not null,
	listen_addresses   text[] not null,
	cache_min_ttl      integer not null check (cache_min_ttl >= 0),
	cache_max_ttl      integer not null check (cache_max_ttl >= cache_min_ttl),
	dnssec             boolean not null,
	qname_minimisation boolean not null
);

-- Two public resolvers; local networks may ask; only this machine is listened to, so that
-- nothing is served to anybody before an operator says where.
insert into dns_settings (id, revision, created_at, updated_at, upstream_forwards, access_acl, listen_addresses,
	cache_min_ttl, cache_max_ttl, dnssec, qname_minimisation)
values ('00000000-0000-7000-8000-000000000011', 1, now(), now(), '{9.9.9.9,1.1.1.1}',
	'{127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,::1,fc00::/7,fe80::/10}',
	'{127.0.0.1,::1}', 0, 86400, true, true);

create table dns_zones (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	name       text collate "C" not null,
	forward_to text[] not null,
	constraint dns_zones_name unique (name)
);

-- fqdn is what name means in its zone. The order of the constraint is that of the
-- rendered file, so that its index spares the sorting.
create table dns_records (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	zone_id    uuid not null references dns_zones (id) on delete cascade,
	name       text collate "C" not null,
	type       text collate "C" not null check (type in ('A', 'AAAA', 'CNAME', 'TXT', 'MX', 'SRV', 'NS', 'PTR', 'CAA')),
	value      text collate "C" not null,
	ttl        integer not null check (ttl >= 0),
	fqdn       text collate "C" not null,
	constraint dns_records_once unique (fqdn, type, value)
);
create index dns_records_zone on dns_records (zone_id);

-- +goose Down
drop table dns_records, dns_zones, dns_settings;
