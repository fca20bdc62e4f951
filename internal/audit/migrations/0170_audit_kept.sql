-- +goose Up
-- How many days of entries are kept, as the log itself has it: no role writes this, it follows the
-- entries by which an operator sets it. Nobody can have less kept without an entry that says so.
alter table audit_heads add column kept_days integer not null default 365;
update audit_heads h set kept_days = coalesce((select greatest(least((e.detail #>> '{to,audit_days}')::numeric, 3650), 1)::integer from audit_entries e
	where e.node_id = h.node_id and e.action = 'system.retention' and e.detail #>> '{to,audit_days}' ~ '^[0-9]{1,6}$' order by e.seq desc limit 1), 365);

-- +goose StatementBegin
create or replace function gateway_audit_next() returns trigger language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
declare
	days text;
begin
	if new.action in ('system.retention', 'system.retention.failed') then
		days := substring(new.detail #>> '{to,audit_days}' from '^[0-9]{1,6}$');
	end if;
	update public.audit_heads set seq = new.seq, hash = new.hash,
		kept_days = case when days is null then kept_days else greatest(least(days::integer, 3650), 1) end
		where node_id = new.node_id and seq = new.seq - 1;
	if not found then
		raise exception 'entry % does not follow the chain of node %', new.seq, new.node_id using errcode = 'GW002';
	end if;
	return new;
end
$$;
-- +goose StatementEnd

-- Entries leave strictly from the front: a clock that jumped must not punch holes. Nobody
-- removes what is to be kept, nor what is younger than 30 days, whatever the retention says.
-- A day is for clocks that differ, and for summer time.
-- +goose StatementBegin
create or replace function gateway_audit_prune(node text, before timestamptz) returns bigint language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
declare
	days integer;
	last_seq bigint;
	last_hash bytea;
	removed bigint;
begin
	select greatest(h.kept_days, 30) into days from public.audit_heads h where h.node_id = node for update;
	if days is null then
		return 0;
	end if;
	if before is null or before > now() - make_interval(days => days - 1) then
		raise exception 'audit entries of the last % days are kept', days using errcode = 'GW003';
	end if;
	select e.seq, e.hash into last_seq, last_hash from public.audit_entries e where e.node_id = node and e.seq <
		coalesce((select min(y.seq) from public.audit_entries y where y.node_id = node and y.created_at >= before), 9223372036854775807)
		order by e.seq desc limit 1;
	if last_seq is null then
		return 0;
	end if;
	delete from public.audit_entries e where e.node_id = node and e.seq <= last_seq;
	get diagnostics removed = row_count;
	update public.audit_heads set base_seq = last_seq, base_hash = last_hash where node_id = node;
	-- Names that no entry has any more: strangers who try to sign in choose theirs.
	delete from public.audit_names n where case n.kind
		when 'actor' then not exists (select from public.audit_entries e where e.actor = n.name)
		else not exists (select from public.audit_entries e where e.action = n.name) end;
	return removed;
end
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
create or replace function gateway_audit_next() returns trigger language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
begin
	update public.audit_heads set seq = new.seq, hash = new.hash where node_id = new.node_id and seq = new.seq - 1;
	if not found then
		raise exception 'entry % does not follow the chain of node %', new.seq, new.node_id using errcode = 'GW002';
	end if;
	return new;
end
$$;
-- +goose StatementEnd
-- +goose StatementBegin
create or replace function gateway_audit_prune(node text, before timestamptz) returns bigint language plpgsql
	security definer set search_path = pg_catalog, public, pg_temp as $$
declare
	last_seq bigint;
	last_hash bytea;
	removed bigint;
begin
	if before > now() - interval '1 day' then
		raise exception 'audit entries of the last day are kept' using errcode = 'GW003';
	end if;
	perform from public.audit_heads where node_id = node for update;
	select e.seq, e.hash into last_seq, last_hash from public.audit_entries e where e.node_id = node and e.seq <
		coalesce((select min(y.seq) from public.audit_entries y where y.node_id = node and y.created_at >= before), 9223372036854775807)
		order by e.seq desc limit 1;
	if last_seq is null then
		return 0;
	end if;
	delete from public.audit_entries e where e.node_id = node and e.seq <= last_seq;
	get diagnostics removed = row_count;
	update public.audit_heads set base_seq = last_seq, base_hash = last_hash where node_id = node;
	delete from public.audit_names n where case n.kind
		when 'actor' then not exists (select from public.audit_entries e where e.actor = n.name)
		else not exists (select from public.audit_entries e where e.action = n.name) end;
	return removed;
end
$$;
-- +goose StatementEnd
alter table audit_heads drop column kept_days;
