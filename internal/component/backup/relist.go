package backup

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/db"
)

// known is a file that was looked at and is none of ours, by what would change with its content.
type known struct {
	size     int64
	modified time.Time
}

// relist brings archives into the list that the database does not know, as after it was lost: they can be restored, and
// count among those that are kept. Only what their MAC proves is believed: it is of this node's key, and the header is whole.
// Whoever calls it has the lock.
func (s *service) relist(ctx context.Context, here string) error {
	if under, err := s.restoring(ctx); err != nil || under { // which has an archive of its own there
		return err
	}
	entries, err := os.ReadDir(s.folder())
	if err != nil {
		return fmt.Errorf("look for archives: %w", err)
	}
	// One that was away and is back, or in a folder that lost its mark, is as good as it was.
	rows, err := db.List[struct{ ID string }](ctx, s.DB, `select id::text from backups where status = 'running' or status = 'done' and folder in ('', $1)`, here)
	if err != nil {
		return fmt.Errorf("list backups: %w", err)
	}
	listed := map[string]bool{}
	for _, r := range rows {
		listed[r.ID] = true
	}
	var errs []error
	for _, e := range entries {
		id, is := strings.CutSuffix(e.Name(), archive.Suffix)
		if !is || !e.Type().IsRegular() || !db.ValidID(id) || listed[id] {
			continue
		}
		if err := s.relistOne(ctx, here, id); err != nil {
			errs = append(errs, fmt.Errorf("list %s again: %w", e.Name(), err))
		}
	}
	return errors.Join(errs...)
}

func (s *service) relistOne(ctx context.Context, here, id string) error {
	f, err := os.OpenFile(s.path(id), os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return err
	}
	is := known{info.Size(), info.ModTime()}
	if was, looked := s.foreign.Load(id); looked && was == is { // it is read once only
		return nil
	}
	h, sum, err := s.proven(f)
	if err == nil && h.ID != id {
		err = fmt.Errorf("%w: it is the one of backup %s", archive.ErrForeign, h.ID)
	}
	if err != nil {
		s.foreign.Store(id, is)
		return err
	}
	_, err = s.DB.Exec(ctx, `insert into backups (id, file, size, sha256, kind, status, host, version, portable, started_at, finished_at, folder)
		values ($1, $2, $3, $4, 'found', 'done', $5, $6, $7, $8, $8, $9)
		on conflict (id) do update set status = 'done', error = null, folder = excluded.folder
		where backups.status <> 'running' and backups.sha256 = excluded.sha256`,
		id, filepath.Base(s.path(id)), info.Size(), sum, h.Host, h.Product, len(h.Escrow) > 0, h.Created.UTC(), here)
	if err == nil {
		s.Log.Info("backup", "id", id, "step", "found")
	}
	return err
}

// proven is the header of an archive whose MAC is of this node's key, and the sum of the file.
func (s *service) proven(f *os.File) (archive.Header, string, error) {
	keys, err := backup.OpenKeys(s.keyFile())
	if err != nil {
		return archive.Header{}, "", err
	}
	opening, err := keys.Opening()
	if err != nil {
		return archive.Header{}, "", err
	}
	h, err := archive.ReadHeader(f)
	if err != nil {
		return h, "", err
	}
	if err := archive.Verify(f, opening); err != nil {
		return h, "", err
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return h, "", err
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return h, "", err
	}
	return h, hex.EncodeToString(sum.Sum(nil)), nil
}
