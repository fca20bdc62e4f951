package backup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/restore"
)

// tidy is what a kill leaves to be done. Whoever calls it has the lock.
func (s *service) tidy(ctx context.Context) error {
	if err := s.sweep(ctx); err != nil {
		return err
	}
	here, err := s.here()
	if err != nil {
		return err
	}
	if _, err := s.DB.Exec(ctx, `update backups set folder = $1 where folder = ''`, here); err != nil { // from before folders had marks
		return fmt.Errorf("note the folder of backups: %w", err)
	}
	if err := s.endVerifications(ctx, here); err != nil {
		return err
	}
	if _, err := s.DB.Exec(ctx, `delete from backup_target_status s where not exists (select from backup_targets t where t.id = s.target_id)`); err != nil {
		return fmt.Errorf("remove what is left of targets: %w", err)
	}
	if err := s.forgetClaims(ctx); err != nil {
		return err
	}
	s.wakeUploads()
	// These keep no backup from being made.
	if err := errors.Join(s.failMissing(ctx, here), s.relist(ctx, here), s.removeRequests(ctx), s.verifyNewest(ctx, here)); err != nil && ctx.Err() == nil {
		s.Log.Error("backup", "step", "tidy", "err", err)
	}
	return nil
}

// endVerifications ends those that were killed. The first time it may have been a restart of the node, and verifyNewest tries
// again if it is the newest. The second time it may be the archive.
func (s *service) endVerifications(ctx context.Context, here string) error {
	newest, err := s.newest(ctx, here)
	if err != nil {
		return err
	}
	_, err = s.DB.Exec(ctx, `update backups set verify_status = case when again then 'none' else 'failed' end, verify_error = case when not again then $1::jsonb end, verify_interrupted = true
		from (select id as which, id::text = $4 and not verify_interrupted and (select verify from backup_settings) as again from backups) as judged
		where id = which and verify_status = 'running' and verify_started_at not between $2 and $3`,
		asJSON(fault.Said("the verification was interrupted")), s.Now().Add(-verifyTime), s.horizon(), newest.ID)
	if err != nil {
		return fmt.Errorf("end interrupted verifications: %w", err)
	}
	return nil
}

// newest is the backup that is to be verified; its id is empty where there is none.
func (s *service) newest(ctx context.Context, here string) (listed, error) {
	all, err := db.List[listed](ctx, s.DB, `select id::text, kind, status, verify_status, started_at from backups where status = 'done' and kind <> 'before-restore'
		and folder = $2 and started_at <= $1 order by started_at desc, id desc limit 1`, s.horizon(), here)
	if err != nil || len(all) == 0 {
		return listed{}, err
	}
	return all[0], nil
}

// failMissing has no backup in the list as complete whose archive somebody removed. Those of a folder that is away come back with it.
func (s *service) failMissing(ctx context.Context, here string) error {
	rows, err := db.List[struct{ ID string }](ctx, s.DB, `select id::text from backups where status = 'done' and folder = $1`, here)
	if err != nil {
		return fmt.Errorf("list complete backups: %w", err)
	}
	for _, r := range rows {
		if _, err := os.Lstat(s.path(r.ID)); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		_, err := s.DB.Exec(ctx, `update backups set status = 'failed', error = $2, progress = null where id = $1 and status = 'done'`, r.ID, asJSON(archiveMissing()))
		if err != nil {
			return fmt.Errorf("note that an archive is missing: %w", err)
		}
	}
	return nil
}

// requestTime is how long the files of a restore may be there before it tells that it began.
const requestTime = time.Hour

// removeRequests removes what restores that never began left beside the archives: what was asked, keys of other nodes, and half of their archives.
func (s *service) removeRequests(ctx context.Context) error {
	if under, err := s.restoring(ctx); err != nil || under {
		return err
	}
	entries, err := os.ReadDir(s.folder())
	if err != nil {
		return fmt.Errorf("look for requests of restores: %w", err)
	}
	left := []string{filepath.Ext(restore.KeysPath("")), filepath.Ext(restore.RequestPath("")), restore.ImportSuffix}
	var errs []error
	for _, e := range entries {
		if !slices.Contains(left, filepath.Ext(e.Name())) {
			continue
		}
		if info, err := e.Info(); err != nil || s.Now().Sub(info.ModTime()).Abs() < requestTime {
			continue
		}
		errs = append(errs, os.Remove(filepath.Join(s.folder(), e.Name())))
	}
	return errors.Join(errs...)
}

// verifyNewest takes up a verification that a kill, a restore, or another verification kept from beginning.
func (s *service) verifyNewest(ctx context.Context, here string) error {
	newest, err := s.newest(ctx, here)
	if err != nil || newest.VerifyStatus != none {
		return err
	}
	return s.verifyLater(ctx, newest.ID)
}
