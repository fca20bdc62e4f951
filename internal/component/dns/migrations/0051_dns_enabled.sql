-- +goose Up
-- Whether the resolver runs at all.
alter table dns_settings add column enabled boolean not null default true;

-- +goose Down
alter table dns_settings drop column enabled;
