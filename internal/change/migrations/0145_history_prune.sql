-- +goose Up
-- Deleting a round looks for the changes that name it.
create index change_applies_apply on change_applies (apply_id);

-- Old changes leave through this function: no role of a process may delete any. Those of the last day
-- stay, and so do those that wait for somebody or are not live: how their objects stand is told by them.
-- It removes so many at a time, so that nobody waits for it.
-- +goose StatementBegin
create function gateway_history_prune(before timestamptz, most bigint, batch bigint) returns bigint language plpgsql
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
drop function gateway_history_prune;
drop index change_applies_apply;
