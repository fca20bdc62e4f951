-- +goose Up
-- Whoever writes the log may add to it and nothing else: the end of a chain follows its
-- entries here, and no role but the owner touches it.
-- +goose StatementBegin
create function gateway_audit_next() returns trigger language plpgsql as $$
begin
	update public.audit_heads set seq = new.seq, hash = new.hash where node_id = new.node_id and seq = new.seq - 1;
	if not found then
		raise exception 'entry % does not follow the chain of node %', new.seq, new.node_id using errcode = 'GW002';
	end if;
	return new;
end
$$;
-- +goose StatementEnd
create trigger gateway_audit_next before insert on audit_entries for each row execute function gateway_audit_next();

-- Entries leave strictly from the front: a clock that jumped must not punch holes. Nobody
-- removes what is younger than a day, whatever the retention says.
-- +goose StatementBegin
create function gateway_audit_prune(node text, before timestamptz) returns bigint language plpgsql
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
	-- Names that no entry has any more: strangers who try to sign in choose theirs.
	delete from public.audit_names n where case n.kind
		when 'actor' then not exists (select from public.audit_entries e where e.actor = n.name)
		else not exists (select from public.audit_entries e where e.action = n.name) end;
	return removed;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop function gateway_audit_prune;
drop trigger gateway_audit_next on audit_entries;
drop function gateway_audit_next;
