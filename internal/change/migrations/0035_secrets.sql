-- +goose Up
-- Which of the columns that images leave out a change touched: what it replaced or
-- removed there cannot be put back from the history.
alter table change_rows add column hidden text[] not null default '{}';

-- What those columns held, as they were stored (sealed, hashed), while the change may
-- still be undone by itself. Ending its wait removes it.
create table change_secrets (
	change_id uuid not null references changes (id) on delete cascade,
	number    bigint not null,
	old_row   jsonb not null,
	primary key (change_id, number)
);

-- +goose StatementBegin
create or replace function gateway_row_image() returns trigger language plpgsql as $$
declare
	change text := current_setting('gateway.change_id', true);
	was jsonb := case when tg_op = 'INSERT' then null else to_jsonb(old) end;
	now_is jsonb := case when tg_op = 'DELETE' then null else to_jsonb(new) end;
	omitted text[] := coalesce(tg_argv[0:tg_nargs - 1], '{}');
	touched text[] := '{}';
	place bigint;
begin
	if change is null or change = '' then
		raise exception 'table % changes only through change.Run', tg_table_name using errcode = 'GW001';
	end if;
	if tg_op <> 'INSERT' and omitted <> '{}' then
		select coalesce(array_agg(c order by c), '{}') into touched from unnest(omitted) c
			where was -> c is distinct from now_is -> c and (now_is is not null or was -> c <> 'null');
	end if;
	insert into change_rows (change_id, table_name, operation, old_row, new_row, hidden)
		values (change::uuid, tg_table_name, tg_op, was - omitted, now_is - omitted, touched)
		returning number into place;
	if touched <> '{}' and current_setting('gateway.keep_secrets', true) = 'on' then
		insert into change_secrets (change_id, number, old_row)
			select change::uuid, place, jsonb_object_agg(c, was -> c) from unnest(touched) c;
	end if;
	return null;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop table change_secrets;
