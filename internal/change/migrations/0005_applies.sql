-- +goose Up
-- How a change reaches its daemons: which ones it concerns and how far they are, and
-- whether it waits for somebody to confirm it.
alter table changes
	add column reason          text not null default '',
	add column reverts         uuid,
	add column confirm_seconds int,
	add column confirm_state   text check (confirm_state in ('waiting', 'confirmed', 'reverted', 'failed'));
create index changes_waiting on changes (id) where confirm_state = 'waiting';

-- One round of the applier for one component. It may carry several changes.
create table applies (
	id          uuid primary key,
	component   text not null,
	node_id     text not null,
	state       text not null check (state in ('live', 'failed')),
	error       text not null default '',
	files       jsonb not null default '[]',
	started_at  timestamptz not null,
	finished_at timestamptz not null
);
create index applies_component on applies (component, finished_at desc);

create table change_applies (
	change_id uuid not null references changes (id) on delete cascade,
	component text not null,
	state     text not null default 'pending' check (state in ('pending', 'live', 'failed')),
	apply_id  uuid references applies (id) on delete set null,
	primary key (change_id, component)
);
create index change_applies_pending on change_applies (component) where state <> 'live';

-- How the applier treats a component on this node.
create table apply_settings (
	id         uuid primary key,
	component  text not null unique,
	keep_edits boolean not null default false,
	revision   bigint not null default 1,
	created_at timestamptz not null default now(),
	updated_at timestamptz not null default now()
);

-- What later changes did to a row that is to be reverted.
create index change_rows_row on change_rows (table_name, (coalesce(new_row, old_row) ->> 'id'));

-- +goose Down
drop index change_rows_row;
drop table apply_settings, change_applies, applies;
alter table changes drop column reason, drop column reverts, drop column confirm_seconds, drop column confirm_state;
