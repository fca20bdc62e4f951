-- +goose Up
-- A token ends with the sessions of its account: it is good in the epoch it was made in.
-- The rows are no change of anybody's, so they leave no images.
alter table user_tokens disable trigger user;
alter table user_tokens add column epoch bigint not null default 0;
update user_tokens t set epoch = u.session_epoch from users u where u.id = t.user_id;
alter table user_tokens alter column epoch drop default;
alter table user_tokens enable trigger user;
-- The name of a token that ended is free again.
alter table user_tokens drop constraint user_tokens_name_key;
alter table user_tokens add constraint user_tokens_name_key unique (user_id, name, epoch);

-- +goose Down
alter table user_tokens drop constraint user_tokens_name_key;
alter table user_tokens add constraint user_tokens_name_key unique (user_id, name);
alter table user_tokens drop column epoch;
