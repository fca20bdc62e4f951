-- +goose Up
-- Every stored change of configuration, and the images of the rows it touched.
-- These are history: written by change.Run, read by the history and revert pages.
create table changes (
	id         uuid primary key,
	component  text not null,
	action     text not null,
	subject    text not null,
	actor      text not null,
	created_at timestamptz not null
);
create index changes_created_at on changes (created_at desc);

create table change_rows (
	change_id uuid not null references changes (id) on delete cascade,
	number    bigint generated always as identity,
	table_name text not null,
	operation text not null check (operation in ('INSERT', 'UPDATE', 'DELETE')),
	old_row   jsonb,
	new_row   jsonb,
	primary key (change_id, number)
);

-- One function for every configuration table (db.Migrate attaches it). It refuses
-- a write that does not come through change.Run: such a write would be neither
-- audited nor reversible. Its arguments are the columns that must not be recorded.
-- +goose StatementBegin
create function gateway_row_image() returns trigger language plpgsql as $$
declare
	change text := current_setting('gateway.change_id', true);
	was jsonb := case when tg_op = 'INSERT' then null else to_jsonb(old) end;
	now_is jsonb := case when tg_op = 'DELETE' then null else to_jsonb(new) end;
	hidden text[] := coalesce(tg_argv[0:tg_nargs - 1], '{}');
begin
	if change is null or change = '' then
		raise exception 'table % changes only through change.Run', tg_table_name using errcode = 'GW001';
	end if;
	insert into change_rows (change_id, table_name, operation, old_row, new_row)
	values (change::uuid, tg_table_name, tg_op, was - hidden, now_is - hidden);
	return null;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop function gateway_row_image cascade;
drop table change_rows, changes;
