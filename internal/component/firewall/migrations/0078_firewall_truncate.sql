-- +goose Up
-- A truncate fires no trigger of rows, so whoever reads only what was touched kept what was
-- gone. Its rows are noted before they go; replication runs it as a statement, too.
-- +goose StatementBegin
create function firewall_touch_all() returns trigger language plpgsql as $$
begin
	execute format('insert into firewall_touched (id, changed, at) select distinct %I, pg_current_xact_id(), now() from %I
		on conflict (id) do update set changed = excluded.changed, at = excluded.at', tg_argv[0], tg_table_name);
	return null;
end
$$;
-- +goose StatementEnd
create trigger firewall_touch_all before truncate on firewall_address_objects for each statement execute function firewall_touch_all('id');
create trigger firewall_touch_all before truncate on firewall_address_members for each statement execute function firewall_touch_all('id');
create trigger firewall_touch_all before truncate on firewall_resolved for each statement execute function firewall_touch_all('object_id');
create trigger firewall_touch_all before truncate on firewall_rules for each statement execute function firewall_touch_rules();
alter table firewall_address_objects enable always trigger firewall_touch_all;
alter table firewall_address_members enable always trigger firewall_touch_all;
alter table firewall_resolved enable always trigger firewall_touch_all;
alter table firewall_rules enable always trigger firewall_touch_all;

-- +goose Down
drop trigger firewall_touch_all on firewall_rules;
drop function firewall_touch_all cascade;
