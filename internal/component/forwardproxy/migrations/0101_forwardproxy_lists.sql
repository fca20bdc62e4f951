-- +goose Up
-- Lists of up to a million host names, which access rules name. A list is in parts: a change of one
-- name stores one part anew. Rows of lists have the hashes of their parts, so that an image of one
-- is short and still leads back to the names, for as long as they are kept.
create table forwardproxy_lists (
	id          uuid primary key,
	revision    bigint not null,
	created_at  timestamptz not null,
	updated_at  timestamptz not null,
	name        text collate "C" not null,
	description text not null,
	size        integer not null default 0 check (size between 0 and 1000000),
	parts       text[] not null default '{}'
);
create unique index forwardproxy_lists_name on forwardproxy_lists (name);

create table forwardproxy_list_parts (
	hash    text collate "C" primary key,
	names   text collate "C" not null,
	used_at timestamptz not null
);

alter table forwardproxy_acls drop constraint forwardproxy_acls_type_check;
alter table forwardproxy_acls add constraint forwardproxy_acls_type_check check (type in ('source', 'domain', 'list', 'port', 'url', 'method', 'time', 'user_agent'));

-- +goose Down
delete from forwardproxy_acls where type = 'list';
alter table forwardproxy_acls drop constraint forwardproxy_acls_type_check;
alter table forwardproxy_acls add constraint forwardproxy_acls_type_check check (type in ('source', 'domain', 'port', 'url', 'method', 'time', 'user_agent'));
drop table forwardproxy_lists, forwardproxy_list_parts;
