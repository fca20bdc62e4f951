-- +goose Up
-- Whether the daemon runs at all.
alter table ntp_settings add column enabled boolean not null default true;

-- +goose Down
alter table ntp_settings drop column enabled;
