-- +goose Up
-- Says that rows of a table changed, whoever changed them. Package db/migrate puts it on every
-- table that files may depend on, and has it fire for rows that replication brings, too:
-- those come past the API. Several of one transaction arrive as one.
-- +goose StatementBegin
create function gateway_rows_changed() returns trigger language plpgsql as $$
begin
	perform pg_notify('gateway_rows', tg_table_name);
	return null;
end
$$;
-- +goose StatementEnd

-- +goose Down
drop function gateway_rows_changed cascade;
