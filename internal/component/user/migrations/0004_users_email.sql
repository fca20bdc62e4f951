-- +goose Up
-- The order in which the list is read; users_email_key is about lower(email) and cannot serve it.
create index users_email_order on users (email, id);

-- +goose Down
drop index users_email_order;
