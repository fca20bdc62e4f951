-- +goose Up
-- Which transaction made a change: no other one may add rows to it. Those from before have none, and get no
-- more. The row's own xmin does not tell: whoever may update a column of a change sets it.
-- And when that was, which is what the history is kept by: created_at is the word of whoever makes the change.
alter table changes add column transaction_id xid8, add column stored_at timestamptz;

-- Nobody says these themselves, neither an insert nor an archive that is loaded: its numbers are those of
-- another machine, and would come again.
-- +goose StatementBegin
create function gateway_change_made() returns trigger language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
begin
	new.transaction_id := pg_current_xact_id();
	new.stored_at := now();
	return new;
end
$$;
-- +goose StatementEnd
create trigger gateway_change_made before insert on changes for each row execute function gateway_change_made();
alter table changes enable always trigger gateway_change_made;

-- As 0035 has it, but that the setting is not believed: any session can name a change that somebody made
-- last year, and would write under it without an audit entry. That the change is of this transaction is asked
-- by the insert that there is anyway.
-- +goose StatementBegin
create or replace function gateway_row_image() returns trigger language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
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
		select c.id, tg_table_name, tg_op, was - omitted, now_is - omitted, touched
		from changes c where c.id = change::uuid and c.transaction_id = pg_current_xact_id()
		returning number into place;
	if place is null then
		raise exception 'table % changes only through change.Run: change % is not of this transaction', tg_table_name, change using errcode = 'GW001';
	end if;
	if touched <> '{}' and current_setting('gateway.keep_secrets', true) = 'on' then
		insert into change_secrets (change_id, number, old_row)
			select change::uuid, place, jsonb_object_agg(c, was -> c) from unnest(touched) c;
	end if;
	return null;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop trigger gateway_change_made on changes;
drop function gateway_change_made;
alter table changes drop column transaction_id, drop column stored_at;
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
