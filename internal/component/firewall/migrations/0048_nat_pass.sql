-- +goose Up
-- What a dnat rule translates passes by itself unless this is off; the other kinds have no use for it.
alter table firewall_nat_rules add column pass boolean not null default true;

-- +goose Down
alter table firewall_nat_rules drop column pass;
