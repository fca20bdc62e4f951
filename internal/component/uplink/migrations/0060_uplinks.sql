-- +goose Up
-- The ways out of this node, one for each family of an interface. number names the uplink's
-- routing table and marks in the kernel, and stays with the row.
create table uplink_uplinks (
	id                uuid primary key,
	revision          bigint not null,
	created_at        timestamptz not null,
	updated_at        timestamptz not null,
	name              text collate "C" not null,
	number            integer not null check (number between 1 and 127),
	interface         text collate "C" not null,
	family            text collate "C" not null check (family in ('inet', 'inet6')),
	gateway           text collate "C" not null, -- nothing: as others say, or point-to-point
	active            boolean not null,
	monitor           boolean not null,
	monitor_address   text collate "C" not null, -- nothing: the gateway
	interval_ms       integer not null check (interval_ms between 20 and 10000),
	window_s          integer not null check (window_s between 1 and 300),
	loss_percent_down integer not null check (loss_percent_down between 1 and 100),
	rtt_ms_down       integer not null check (rtt_ms_down between 0 and 10000), -- 0: not judged
	hold_s            integer not null check (hold_s between 1 and 3600),
	description       text not null,
	constraint uplink_uplinks_name unique (name),
	constraint uplink_uplinks_number unique (number),
	constraint uplink_uplinks_interface unique (interface, family)
);

create table uplink_groups (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	family      text collate "C" not null check (family in ('inet', 'inet6')),
	is_default  boolean not null,
	description text not null,
	constraint uplink_groups_name unique (name)
);
create unique index uplink_groups_default on uplink_groups (family) where is_default;

create table uplink_members (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	group_id   uuid not null,
	uplink_id  uuid not null,
	tier       integer not null check (tier between 1 and 100),
	weight     integer not null check (weight between 1 and 256),
	constraint uplink_members_group foreign key (group_id) references uplink_groups (id),
	constraint uplink_members_uplink foreign key (uplink_id) references uplink_uplinks (id),
	constraint uplink_members_once unique (group_id, uplink_id)
);

-- +goose Down
drop table uplink_members;
drop table uplink_groups;
drop table uplink_uplinks;
