-- +goose Up
-- number names the group's routing table and the mark of packets that leave by it, and stays with
-- the row. The rows are no change of anybody's, so they leave no images.
alter table uplink_groups disable trigger user;
alter table uplink_groups add column number integer check (number between 1 and 127);
update uplink_groups g set number = n.number from (select id, row_number() over (order by name) as number from uplink_groups) n where n.id = g.id;
alter table uplink_groups alter column number set not null;
alter table uplink_groups add constraint uplink_groups_number unique (number);
alter table uplink_groups enable trigger user;

-- +goose Down
alter table uplink_groups drop column number;
