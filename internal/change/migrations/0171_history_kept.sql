-- +goose Up
-- What is kept is said here, and not by whoever calls: no role removes a change of the last year, unless there are more than
-- 100,000 of them, and then none of the last 30 days. A day is for clocks that differ, and for summer time. One that says it is
-- older than it is leaves no sooner.
-- +goose StatementBegin
create or replace function gateway_history_prune(before timestamptz, most bigint, batch bigint) returns bigint language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
declare
	beyond timestamptz;
	removed bigint;
	rounds bigint;
begin
	if before is null or before > now() - interval '364 days' then
		raise exception 'changes of the last 365 days are kept' using errcode = 'GW003';
	end if;
	if most is null or most < 100000 then
		raise exception 'the last 100000 changes are kept' using errcode = 'GW003';
	end if;
	select c.created_at into beyond from public.changes c order by c.created_at desc offset most limit 1;
	delete from public.changes where id in (
		select c.id from public.changes c
		where (greatest(c.created_at, c.stored_at) < before or c.created_at <= beyond and greatest(c.created_at, c.stored_at) < now() - interval '30 days')
		and c.confirm_state is distinct from 'waiting'
		and not exists (select from public.change_applies a where a.change_id = c.id and a.state <> 'live')
		order by c.created_at limit batch);
	get diagnostics removed = row_count;
	-- Rounds that no change names any more are shown nowhere.
	delete from public.applies where id in (
		select p.id from public.applies p
		where p.finished_at < now() - interval '1 day' and not exists (select from public.change_applies a where a.apply_id = p.id)
		limit batch);
	get diagnostics rounds = row_count;
	return greatest(removed, rounds);
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function gateway_history_prune(before timestamptz, most bigint, batch bigint) returns bigint language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
declare
	beyond timestamptz;
	removed bigint;
	rounds bigint;
begin
	if before > now() - interval '1 day' then
		raise exception 'changes of the last day are kept' using errcode = 'GW003';
	end if;
	select c.created_at into beyond from public.changes c order by c.created_at desc offset most limit 1;
	delete from public.changes where id in (
		select c.id from public.changes c
		where (c.created_at < before or c.created_at <= beyond) and c.created_at < now() - interval '1 day'
		and c.confirm_state is distinct from 'waiting'
		and not exists (select from public.change_applies a where a.change_id = c.id and a.state <> 'live')
		order by c.created_at limit batch);
	get diagnostics removed = row_count;
	delete from public.applies where id in (
		select p.id from public.applies p
		where p.finished_at < now() - interval '1 day' and not exists (select from public.change_applies a where a.apply_id = p.id)
		limit batch);
	get diagnostics rounds = row_count;
	return greatest(removed, rounds);
end
$$;
-- +goose StatementEnd
