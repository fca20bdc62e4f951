-- +goose Up
-- The name that this node was set up with, as the setup store has it: no client may have it in the DNS. It is told like a
-- row of the configuration, which it is not: nobody changes it here.
create table dhcp_node (
	one  boolean primary key default true check (one),
	name text collate "C" not null
);
create trigger gateway_rows_changed after insert or update or delete on dhcp_node for each row execute function gateway_rows_changed();
alter table dhcp_node enable always trigger gateway_rows_changed;

-- +goose Down
drop table dhcp_node;
