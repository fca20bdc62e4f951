-- +goose Up
-- Which archives this node has put at which place. Whoever else may write there can use any name, so retention counts and
-- removes these alone. By place and not by target: a target may be changed, deleted and brought back.
create table backup_uploads (
	place  text not null,
	name   text not null,
	put_at timestamptz not null,
	primary key (place, name)
);
-- Archives that were there at the last upload, and of which this node does not know.
alter table backup_target_status add column foreign_archives integer not null default 0;

-- +goose Down
alter table backup_target_status drop column foreign_archives;
drop table backup_uploads;
