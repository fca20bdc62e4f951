-- +goose Up
create table users (
	id            uuid primary key,
	revision      bigint not null,
	created_at    timestamptz not null,
	updated_at    timestamptz not null,
	email         text not null,
	role          text not null check (role in ('admin', 'viewer')),
	active        boolean not null,
	oidc_subject  text not null default '',
	totp_enabled  boolean not null default false,
	totp_secret   bytea,
	password_hash text not null,
	-- Raising it ends every session of the account at once.
	session_epoch bigint not null default 0
);
-- Sign-in compares the e-mail as stored; two accounts that differ only in case are refused.
create unique index users_email_key on users (lower(email));

create table user_recovery_codes (
	user_id uuid not null references users (id) on delete cascade,
	hash    bytea not null,
	used_at timestamptz,
	primary key (user_id, hash)
);

create table user_tokens (
	id         uuid primary key,
	user_id    uuid not null references users (id) on delete cascade,
	name       text not null,
	role       text not null check (role in ('admin', 'viewer')),
	hash       bytea not null unique,
	created_at timestamptz not null,
	expires_at timestamptz not null,
	constraint user_tokens_name_key unique (user_id, name)
);

-- What happens to accounts rather than what they are: not configuration.
create table user_sessions (
	id         uuid primary key,
	user_id    uuid not null references users (id) on delete cascade,
	created_at timestamptz not null,
	last_seen  timestamptz not null,
	expires_at timestamptz not null,
	remote_ip  text not null,
	user_agent text not null,
	revoked_at timestamptz
);
create index user_sessions_user on user_sessions (user_id);
create index user_sessions_expires on user_sessions (expires_at);

create table user_totp_state (
	user_id      uuid primary key references users (id) on delete cascade,
	pending      bytea,
	last_step    bigint not null default 0
);

create table user_token_uses (
	token_id     uuid primary key references user_tokens (id) on delete cascade,
	last_used_at timestamptz not null
);

-- +goose Down
drop table user_token_uses, user_totp_state, user_sessions, user_tokens, user_recovery_codes, users;
