-- +goose Up
-- The group of uplinks that connections of a rule leave by. It is no reference for PostgreSQL: rules
-- are the same on all nodes of a cluster, uplinks each node's own. A rule whose group is not here
-- leaves the choice to the routes, and a problem says so.
alter table firewall_rules add column uplink_group_id uuid;

-- +goose Down
alter table firewall_rules drop column uplink_group_id;
