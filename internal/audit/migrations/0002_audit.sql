-- +goose Up
create extension if not exists pg_trgm;

-- detail is json, not jsonb: the hash covers its exact text.
create table audit_entries (
	id         uuid primary key,
	node_id    text not null,
	seq        bigint not null,
	created_at timestamptz not null,
	actor      text not null,
	action     text not null,
	subject    text not null,
	detail     json not null default '{}',
	change_id  uuid,
	hash       bytea not null,
	unique (node_id, seq)
);
create index audit_entries_time on audit_entries (created_at desc, seq desc);
-- Subjects share most of their trigrams ("….example.com"); GIN takes ten times as long over them as GiST.
create index audit_entries_subject on audit_entries using gist (subject gist_trgm_ops (siglen = 32));
create index audit_entries_actor on audit_entries (actor, created_at desc, seq desc);
create index audit_entries_action on audit_entries (action, created_at desc, seq desc);

-- Actors and actions are few. A search finds the names that match here first, and
-- then the entries by equality, for which the planner has exact figures.
create table audit_names (
	kind text not null check (kind in ('actor', 'action')),
	name text not null,
	primary key (kind, name)
);

-- The end of each node's chain, and where it begins since older entries were
-- pruned. Taking this row for update is what orders the writers.
create table audit_heads (
	node_id   text primary key,
	seq       bigint not null,
	hash      bytea not null,
	base_seq  bigint not null default 0,
	base_hash bytea not null default ''
);

-- +goose Down
drop table audit_names, audit_heads, audit_entries;
