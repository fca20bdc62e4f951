-- +goose Up
create table toys (
	id         uuid primary key,
	revision   bigint not null,
	created_at timestamptz not null,
	updated_at timestamptz not null,
	name       text not null unique,
	wheels     integer not null
);

-- +goose Down
drop table toys;
