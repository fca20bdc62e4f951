-- +goose Up
-- Who changes a name server's records for a challenge: plain settings readable, secret ones sealed.
create table dns_providers (
	id           uuid primary key,
	revision     bigint not null,
	created_at   timestamptz not null,
	updated_at   timestamptz not null,
	name         text not null,
	kind         text not null,
	settings     jsonb not null,
	secret_names text[] not null, -- which of them are there
	secrets      bytea not null,
	constraint dns_providers_name unique (name)
);

-- What is wanted, and below it what was issued for that. The latter comes and goes with
-- the calendar, so the history of changes leaves it out and never puts it back.
create table certificates (
	id              uuid primary key,
	revision        bigint not null,
	created_at      timestamptz not null,
	updated_at      timestamptz not null,
	names           text[] not null check (cardinality(names) > 0),
	source          text not null check (source in ('acme', 'upload', 'self_signed')),
	challenge       text not null check (challenge in ('http-01', 'dns-01')),
	dns_provider_id uuid references dns_providers (id),
	key_type        text not null check (key_type in ('ecdsa-p256', 'rsa-2048')),

	chain           text,
	private_key     bytea,
	issued_from     text not null default '', -- upload, self_signed, or the directory's URL
	issued_names    text[] not null default '{}',
	issuer          text not null default '',
	serial          text not null default '',
	not_before      timestamptz,
	not_after       timestamptz,
	last_renewed_at timestamptz,
	check ((chain is null) = (private_key is null))
);
create index certificates_names on certificates using gin (names);

-- How it goes with each, on the node that orders. Not configuration.
create table certificate_status (
	certificate_id     uuid primary key references certificates (id) on delete cascade,
	requested_at       timestamptz,
	attempts           integer not null default 0,
	next_attempt_at    timestamptz,
	renew_at           timestamptz, -- as the authority suggests
	renew_asked_at     timestamptz,
	last_error         text,
	last_error_message text,
	remedy             text,
	alerted            boolean not null default false,
	check_requested_at timestamptz,
	checked_at         timestamptz,
	checks             jsonb not null default '[]'
);

-- +goose Down
drop table certificate_status, certificates, dns_providers;
