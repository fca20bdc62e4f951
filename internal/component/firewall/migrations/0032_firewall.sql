-- +goose Up
-- What rules are about: addresses and services, by name and in groups.
create table firewall_address_objects (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	kind        text collate "C" not null check (kind in ('host', 'network', 'range', 'fqdn')),
	value       text collate "C" not null,
	description text not null,
	constraint firewall_address_objects_name unique (name)
);
-- There may be a hundred thousand, and they are looked for by a part of their name or value.
create index firewall_address_objects_search on firewall_address_objects using gin (name gin_trgm_ops, value gin_trgm_ops);

create table firewall_address_groups (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	description text not null,
	builtin     boolean not null,
	constraint firewall_address_groups_name unique (name)
);

create table firewall_address_members (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	group_id   uuid not null references firewall_address_groups (id) on delete cascade,
	object_id  uuid not null references firewall_address_objects (id),
	constraint firewall_address_members_once unique (group_id, object_id)
);
create index firewall_address_members_object on firewall_address_members (object_id);

-- What a name was last resolved to. It is no configuration, and nothing else changes it.
create table firewall_resolved (
	object_id   uuid not null references firewall_address_objects (id) on delete cascade,
	address     inet not null,
	resolved_at timestamptz not null,
	primary key (object_id, address)
);

-- Which objects and members were written, by which transaction. Whoever has read a hundred
-- thousand of them once reads only these from then on. What is a day old nobody needs.
create table firewall_touched (
	id      uuid primary key,
	changed xid8 not null,
	at      timestamptz not null
);
create index firewall_touched_changed on firewall_touched (changed);

-- +goose StatementBegin
create function firewall_touch() returns trigger language plpgsql as $$
declare
	touched uuid := case when tg_op = 'DELETE' then old.id else new.id end;
begin
	insert into firewall_touched (id, changed, at) values (touched, pg_current_xact_id(), now())
	on conflict (id) do update set changed = excluded.changed, at = excluded.at where firewall_touched.changed <> excluded.changed;
	return null;
end
$$;
create function firewall_touch_rules() returns trigger language plpgsql as $$
begin
	insert into firewall_touched (id, changed, at) values ('00000000-0000-7000-8000-000000300020', pg_current_xact_id(), now())
	on conflict (id) do update set changed = excluded.changed, at = excluded.at where firewall_touched.changed <> excluded.changed;
	return null;
end
$$;
create function firewall_touch_object() returns trigger language plpgsql as $$
declare
	touched uuid := case when tg_op = 'DELETE' then old.object_id else new.object_id end;
begin
	insert into firewall_touched (id, changed, at) values (touched, pg_current_xact_id(), now())
	on conflict (id) do update set changed = excluded.changed, at = excluded.at where firewall_touched.changed <> excluded.changed;
	return null;
end
$$;
-- +goose StatementEnd
create trigger firewall_touch after insert or update or delete on firewall_address_objects for each row execute function firewall_touch();
create trigger firewall_touch after insert or update or delete on firewall_address_members for each row execute function firewall_touch();
create trigger firewall_touch after insert or update or delete on firewall_resolved for each row execute function firewall_touch_object();
-- Rows that come from another node are news as well.
alter table firewall_address_objects enable always trigger firewall_touch;
alter table firewall_address_members enable always trigger firewall_touch;
alter table firewall_resolved enable always trigger firewall_touch;

create table firewall_services (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	protocol    text collate "C" not null check (protocol in ('tcp', 'udp', 'sctp', 'icmp', 'icmpv6', 'gre', 'esp', 'ah')),
	port        integer check (port between 1 and 65535),
	port_end    integer check (port_end between port and 65535),
	icmp_type   integer check (icmp_type between 0 and 255),
	description text not null,
	builtin     boolean not null,
	constraint firewall_services_name unique (name)
);

create table firewall_service_groups (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	description text not null,
	builtin     boolean not null,
	constraint firewall_service_groups_name unique (name)
);

create table firewall_service_members (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	group_id   uuid not null references firewall_service_groups (id) on delete cascade,
	object_id  uuid not null references firewall_services (id),
	constraint firewall_service_members_once unique (group_id, object_id)
);
create index firewall_service_members_object on firewall_service_members (object_id);

-- A zone that is null is every one: "any" is no zone that is stored.
create table firewall_rules (
	id                uuid primary key,
	revision          bigint not null,
	created_at        timestamptz not null,
	updated_at        timestamptz not null,
	name              text collate "C" not null,
	src_zone          text collate "C" references firewall_zones (name) on update cascade,
	src_kind          text collate "C" not null check (src_kind in ('any', 'object', 'group', 'cidr')),
	src_object_id     uuid references firewall_address_objects (id),
	src_group_id      uuid references firewall_address_groups (id),
	src_cidr          text collate "C" not null,
	dst_zone          text collate "C" references firewall_zones (name) on update cascade,
	dst_kind          text collate "C" not null check (dst_kind in ('any', 'object', 'group', 'cidr')),
	dst_object_id     uuid references firewall_address_objects (id),
	dst_group_id      uuid references firewall_address_groups (id),
	dst_cidr          text collate "C" not null,
	service_object_id uuid references firewall_services (id),
	service_group_id  uuid references firewall_service_groups (id),
	action            text collate "C" not null check (action in ('accept', 'drop', 'reject')),
	log               boolean not null,
	priority          integer not null,
	enabled           boolean not null,
	comment           text not null,
	note              text not null,
	labels            text[] not null,
	expires_at        timestamptz
);
-- Rules are fewer, and touched together: by an id that stands for all of them.
create trigger firewall_touch after insert or update or delete on firewall_rules for each row execute function firewall_touch_rules();
alter table firewall_rules enable always trigger firewall_touch;
create index firewall_rules_order on firewall_rules (priority, id);
create index firewall_rules_expiry on firewall_rules (expires_at) where expires_at is not null;

create table firewall_nat_rules (
	id               uuid primary key,
	revision         bigint not null,
	created_at       timestamptz not null,
	updated_at       timestamptz not null,
	name             text collate "C" not null,
	kind             text collate "C" not null check (kind in ('dnat', 'snat', 'masquerade')),
	in_zone          text collate "C" references firewall_zones (name) on update cascade,
	out_zone         text collate "C" references firewall_zones (name) on update cascade,
	protocol         text collate "C" not null check (protocol in ('tcp', 'udp', 'any')),
	source_cidr      text collate "C" not null,
	destination_cidr text collate "C" not null,
	dest_port        integer check (dest_port between 1 and 65535),
	dest_port_end    integer check (dest_port_end between dest_port and 65535),
	target_address   text collate "C" not null,
	target_port      integer check (target_port between 1 and 65535),
	target_port_end  integer check (target_port_end between target_port and 65535),
	priority         integer not null,
	enabled          boolean not null,
	note             text not null,
	labels           text[] not null
);

-- What must stay true, whatever the rules are. dst_zone may also be the gateway itself.
create table firewall_assertions (
	id                uuid primary key,
	revision          bigint not null,
	created_at        timestamptz not null,
	updated_at        timestamptz not null,
	name              text collate "C" not null,
	description       text not null,
	expect            text collate "C" not null check (expect in ('reach', 'never')),
	src_zone          text collate "C" references firewall_zones (name) on update cascade,
	src_cidr          text collate "C" not null,
	dst_zone          text collate "C" references firewall_zones (name) on update cascade,
	dst_gateway       boolean not null,
	dst_cidr          text collate "C" not null,
	service_object_id uuid references firewall_services (id),
	service_group_id  uuid references firewall_service_groups (id),
	enabled           boolean not null,
	constraint firewall_assertions_name unique (name),
	check (dst_zone is null or not dst_gateway)
);

-- Who may always reach the management: none means everybody.
create table firewall_settings (
	id               uuid primary key,
	revision         bigint not null,
	created_at       timestamptz not null,
	updated_at       timestamptz not null,
	lockout_zones    text[] not null,
	lockout_networks text[] not null
);
insert into firewall_settings (id, revision, created_at, updated_at, lockout_zones, lockout_networks)
values ('00000000-0000-7000-8000-000000300010', 1, now(), now(), '{}', '{}');

-- +goose Down
drop table firewall_settings, firewall_assertions, firewall_nat_rules, firewall_rules, firewall_service_members, firewall_service_groups,
	firewall_services, firewall_touched, firewall_resolved, firewall_address_members, firewall_address_groups, firewall_address_objects;
drop function firewall_touch, firewall_touch_rules, firewall_touch_object;
