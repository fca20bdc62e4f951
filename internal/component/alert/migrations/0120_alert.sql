-- +goose Up
-- Where alerts are sent to, and which of them: plain settings readable, secret ones sealed.
create table alert_channels (
	id           uuid primary key,
	revision     bigint not null,
	created_at   timestamptz not null,
	updated_at   timestamptz not null,
	name         text not null,
	kind         text not null check (kind in ('webhook', 'email')),
	target       text not null,
	settings     jsonb not null,
	secret_names text[] not null, -- which of them are there
	secrets      bytea,
	active       boolean not null,
	min_severity text not null check (min_severity in ('info', 'warning', 'error', 'critical')),
	kinds        text[] not null, -- empty: all
	quiet_hours  text not null,   -- empty: none
	check ((secrets is null) = (secret_names = '{}'))
);

-- What is wrong, or was a short while ago: one row per kind and subject. event_id is what told it.
create table alert_states (
	kind          text not null,
	subject_kind  text not null,
	subject_id    text not null,
	component     text not null,
	seen_at       timestamptz not null, -- since when, without a break
	gone_at       timestamptz,          -- since when no longer
	event_id      uuid,                 -- of the first of its events; null: not told
	told_at       timestamptz,
	told_severity text,
	resolved_at   timestamptz,          -- the last time
	flaps         integer not null default 0,
	primary key (kind, subject_kind, subject_id)
);

-- What was told, or would have been had there been a channel.
create table alert_events (
	id              uuid primary key,
	state           text not null check (state in ('firing', 'resolved', 'notice')),
	first_id        uuid not null, -- the event that this one repeats, raises or ends; itself otherwise
	kind            text not null,
	severity        text not null check (severity in ('info', 'warning', 'error', 'critical')),
	subject_kind    text not null,
	subject_id      text not null,
	subject         text not null,
	code            text not null,
	params          jsonb not null,
	message         text not null,
	remedy          text not null,
	link            text not null,
	fired_at        timestamptz not null,
	acknowledged_at timestamptz,
	acknowledged_by text
);
create index alert_events_latest on alert_events (fired_at desc, id desc);
create index alert_events_first on alert_events (first_id);
create index alert_events_subject on alert_events (kind, subject_id, fired_at desc);

-- The outbox: one row per event and channel.
create table alert_deliveries (
	id              uuid primary key,
	seq             bigint generated always as identity, -- the order of those about one subject
	event_id        uuid not null references alert_events (id) on delete cascade,
	channel_id      uuid not null, -- of a channel that may be gone by now
	channel         text not null, -- its name then
	subject         text not null, -- kind and subject: what is told in order
	state           text not null default 'pending' check (state in ('pending', 'ok', 'error', 'dropped')),
	attempts        integer not null default 0,
	next_attempt_at timestamptz not null,
	quiet           boolean not null default false, -- it waits for the end of quiet hours
	claimed_until   timestamptz,
	error           jsonb,
	created_at      timestamptz not null,
	finished_at     timestamptz
);
create index alert_deliveries_event on alert_deliveries (event_id);
create index alert_deliveries_due on alert_deliveries (channel_id, subject, seq) where state = 'pending';

-- How it goes with each channel, so that one that fails is left alone for a while.
create table alert_channel_status (
	channel_id    uuid primary key,
	failures      integer not null default 0,
	failing_since timestamptz,
	paused_until  timestamptz,
	last_ok_at    timestamptz,
	last_error    jsonb,
	last_error_at timestamptz
);

-- +goose Down
drop table alert_channel_status, alert_deliveries, alert_events, alert_states, alert_channels;
