-- +goose Up
-- The reverse proxy: what this node listens on, and the sites that every node serves.
create table proxy_settings (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	ipv6       boolean not null
);
insert into proxy_settings (id, revision, created_at, updated_at, ipv6)
values ('00000000-0000-7000-8000-000000000020', 1, now(), now(), true);

create table proxy_backends (
	id              uuid primary key,
	revision        bigint not null,
	created_at      timestamptz not null,
	updated_at      timestamptz not null,
	name            text collate "C" not null,
	scheme          text collate "C" not null check (scheme in ('http', 'https', 'tcp')),
	lb_algorithm    text collate "C" not null check (lb_algorithm in ('roundrobin', 'leastconn', 'source')),
	websocket       boolean not null,
	force_http1     boolean not null,
	active          boolean not null,
	sticky          boolean not null,
	verify_tls      boolean not null,
	tls_server_name text collate "C" not null,
	health_check    boolean not null,
	health_path     text collate "C" not null,
	health_host     text collate "C" not null,
	health_interval integer not null check (health_interval between 1 and 3600),
	health_status   integer not null check (health_status = 0 or health_status between 100 and 599),
	constraint proxy_backends_name unique (name)
);

-- proxy_name is the name as HAProxy has it.
create table proxy_servers (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	backend_id uuid not null references proxy_backends (id) on delete cascade,
	name       text collate "C" not null,
	proxy_name text collate "C" not null,
	address    text collate "C" not null,
	port       integer not null check (port between 1 and 65535),
	weight     integer not null check (weight between 0 and 256),
	backup     boolean not null,
	active     boolean not null,
	drain      boolean not null,
	constraint proxy_servers_name unique (backend_id, proxy_name)
);

create table proxy_domains (
	id              uuid primary key,
	revision        bigint not null,
	created_at      timestamptz not null,
	updated_at      timestamptz not null,
	name            text collate "C" not null,
	backend_id      uuid references proxy_backends (id),
	active          boolean not null,
	http_to_https   boolean not null,
	disable_h3      boolean not null,
	hsts_max_age    integer not null check (hsts_max_age >= 0),
	hsts_subdomains boolean not null,
	hsts_preload    boolean not null,
	rate_limit      integer not null check (rate_limit >= 0),
	maintenance     boolean not null,
	max_body_size   bigint not null check (max_body_size >= 0),
	www_redirect    text collate "C" not null check (www_redirect in ('off', 'to_www', 'to_apex')),
	allow_from      text[] not null,
	notes           text not null,
	constraint proxy_domains_name unique (name)
);
create index proxy_domains_backend on proxy_domains (backend_id);

create table proxy_headers (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	domain_id  uuid not null references proxy_domains (id) on delete cascade,
	name       text collate "C" not null,
	value      text collate "C" not null
);
-- To HTTP, X-Note and x-note are one field.
create unique index proxy_headers_name on proxy_headers (domain_id, lower(name));

-- digest is what the proxy compares; see the component's README for why it is a quick one.
create table proxy_users (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	domain_id  uuid not null references proxy_domains (id) on delete cascade,
	name       text collate "C" not null,
	digest     text collate "C" not null,
	constraint proxy_users_name unique (domain_id, name)
);

create table proxy_rules (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	domain_id   uuid not null references proxy_domains (id) on delete cascade,
	path_prefix text collate "C" not null check (path_prefix like '/%'),
	backend_id  uuid not null references proxy_backends (id),
	priority    integer not null,
	active      boolean not null
);
create index proxy_rules_domain on proxy_rules (domain_id);
create index proxy_rules_backend on proxy_rules (backend_id);

create table proxy_ports (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	name       text collate "C" not null,
	port       integer not null check (port between 1 and 65535),
	backend_id uuid not null references proxy_backends (id),
	allow_from text[] not null,
	active     boolean not null,
	constraint proxy_ports_port unique (port)
);
create index proxy_ports_backend on proxy_ports (backend_id);

-- +goose Down
drop table proxy_ports, proxy_rules, proxy_users, proxy_headers, proxy_domains, proxy_servers, proxy_backends, proxy_settings;
