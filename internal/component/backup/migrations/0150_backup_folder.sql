-- +goose Up
-- Which folder an archive is in, by the mark that is in the folder: one that is not mounted is not one whose archives are gone.
-- Empty: from before there was a mark.
alter table backups add column folder text not null default '';
-- Whether a verification of it was interrupted before: then it is not tried for ever.
alter table backups add column verify_interrupted boolean not null default false;
-- Archives that were in the folder, and of which the database knew nothing.
alter table backups drop constraint backups_kind_check;
alter table backups add constraint backups_kind_check check (kind in ('manual', 'scheduled', 'before-restore', 'found'));

-- +goose Down
delete from backups where kind = 'found';
alter table backups drop constraint backups_kind_check;
alter table backups add constraint backups_kind_check check (kind in ('manual', 'scheduled', 'before-restore'));
alter table backups drop column verify_interrupted;
alter table backups drop column folder;
