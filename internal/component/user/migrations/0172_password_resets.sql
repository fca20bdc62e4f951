-- +goose Up
-- A password that was reset without the database, and that the row knows of or has a newer one than: until the setup store
-- says so too, which a crash may keep it from, nothing else tells an earlier reset from a later one.
create table user_password_resets (
	user_id    uuid primary key references users (id) on delete cascade,
	settled_at timestamptz not null
);

-- +goose Down
drop table user_password_resets;
