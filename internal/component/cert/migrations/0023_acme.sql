-- +goose Up
-- One account per authority.
create table acme_accounts (
	id            uuid primary key,
	revision      bigint not null,
	created_at    timestamptz not null,
	updated_at    timestamptz not null,
	directory_url text not null,
	email         text not null,
	location      text not null,
	private_key   bytea not null,
	constraint acme_accounts_directory unique (directory_url)
);

-- What is answered to an authority that looks whether a name is ours.
create table acme_challenges (
	token             text primary key,
	key_authorization text not null,
	expires_at        timestamptz not null
);

-- What was ordered, so that an authority's limits are known before they are reached.
create table acme_orders (
	id            uuid primary key,
	directory_url text not null,
	names         text[] not null,
	finished_at   timestamptz not null,
	code          text -- null: a certificate was issued
);
create index acme_orders_finished on acme_orders (finished_at);

-- +goose Down
drop table acme_orders, acme_challenges, acme_accounts;
