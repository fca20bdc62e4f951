-- +goose Up
-- The forward proxy: this node's settings, and the access rules that every node has.
create table forwardproxy_settings (
	id               uuid primary key,
	revision         bigint not null,
	created_at       timestamptz not null,
	updated_at       timestamptz not null,
	enabled          boolean not null,
	port             integer not null check (port between 1 and 65535),
	listen_addresses text[] not null,
	zones            text[] not null,
	allowed_networks text[] not null,
	default_action   text not null check (default_action in ('allow', 'deny')),
	ports            text[] not null,
	connect_ports    text[] not null,
	cache_size       integer not null check (cache_size >= 0),
	parent_host      text not null,
	parent_port      integer not null check (parent_port between 1 and 65535),
	dns_servers      text[] not null,
	access_log       boolean not null,
	log_retention    integer not null check (log_retention >= 1),
	contact          text not null
);
create unique index forwardproxy_settings_one on forwardproxy_settings ((true));

-- Off, so that nobody is served before an operator says so; then on all addresses, for private
-- networks alone.
insert into forwardproxy_settings (id, revision, created_at, updated_at, enabled, port, listen_addresses, zones, allowed_networks, default_action,
	ports, connect_ports, cache_size, parent_host, parent_port, dns_servers, access_log, log_retention, contact)
values ('00000000-0000-7000-8000-000001000001', 1, now(), now(), false, 3128, '{}', '{lan}', '{10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,fc00::/7}', 'allow',
	'{80,443,1024-65535}', '{443}', 64, '', 3128, '{}', true, 14, '');

-- What is allowed and denied, in the order of priority.
create table forwardproxy_acls (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	priority    integer not null,
	action      text not null check (action in ('allow', 'deny')),
	type        text collate "C" not null check (type in ('source', 'domain', 'port', 'url', 'method', 'time', 'user_agent')),
	value       text collate "C" not null,
	only_from   text[] not null,
	only_during     text not null,
	name        text not null,
	enabled     boolean not null,
	description text not null
);
create index forwardproxy_acls_order on forwardproxy_acls (priority, id);

-- +goose Down
drop table forwardproxy_acls, forwardproxy_settings;
