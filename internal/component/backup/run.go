package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/backup/dump"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// run is a backup that is being made, by whoever has the lock.
type run struct {
	id, kind string
	at       time.Time
	host     string
	node     string // machine id
	unlock   func()
}

// begin takes the lock, tidies up after whoever was killed with it, and makes the row. The rest is for finish.
func (s *service) begin(ctx context.Context, kind string) (*run, error) {
	unlock, err := s.lock()
	if err != nil {
		return nil, err
	}
	r, err := s.began(ctx, kind)
	if err != nil {
		unlock()
		return nil, err
	}
	r.unlock = unlock
	return r, nil
}

func (s *service) began(ctx context.Context, kind string) (*run, error) {
	if err := s.sweep(ctx); err != nil {
		return nil, err
	}
	health, err := s.Host.Health()
	if err != nil {
		return nil, fmt.Errorf("read machine: %w", err)
	}
	r := &run{id: db.NewID(), kind: kind, at: s.Now().UTC(), host: health.Hostname, node: health.MachineID}
	here, err := s.here()
	if err != nil {
		return nil, err
	}
	_, err = s.DB.Exec(ctx, `insert into backups (id, file, kind, status, host, version, started_at, progress, folder) values ($1, $2, $3, 'running', $4, $5, $6, $7, $8)`,
		r.id, r.id+archive.Suffix, kind, r.host, s.Version, r.at, asJSON(Progress{Step: stepDatabase}), here)
	if err != nil {
		return nil, fmt.Errorf("begin a backup: %w", err)
	}
	return r, nil
}

// sweep ends the rows of runs that were killed, and removes their files. Whoever calls it has the lock.
func (s *service) sweep(ctx context.Context) error {
	if err := s.removePartial(); err != nil {
		return err
	}
	rows, err := db.List[struct{ ID string }](ctx, s.DB, `update backups set status = 'failed', error = $1, finished_at = $2, progress = null
		where status = 'running' returning id::text`, asJSON(interrupted()), s.Now())
	if err != nil {
		return fmt.Errorf("end interrupted backups: %w", err)
	}
	for _, r := range rows {
		if err := s.remove(r.ID); err != nil { // it was renamed, and nobody knows it
			return err
		}
	}
	return nil
}

func interrupted() fault.Sentence { return fault.Said("the backup was interrupted") }

// finish makes the archive of a run that began, and begins what follows. What fails is in the row.
func (s *service) finish(ctx context.Context, r *run) {
	if !s.made(ctx, r) {
		return
	}
	s.upload(ctx)
	if err := s.verifyLater(ctx, r.id); err != nil {
		s.Log.Error("backup", "step", "verify", "err", err)
	}
}

// made is what is done with the lock. It reports whether more is to follow.
func (s *service) made(ctx context.Context, r *run) bool {
	defer r.unlock()
	err := s.write(ctx, r)
	if err != nil {
		s.Log.Error("backup", "id", r.id, "err", err)
		if ctx.Err() != nil { // whatever the database said then
			err = context.Canceled
		}
		s.failed(ctx, r.id, err)
		return false
	}
	if r.kind == beforeRestore { // somebody waits, and what is being restored may be the oldest one
		return false
	}
	if under, err := s.restoring(ctx); err != nil || under { // by the settings of a state that may be undone
		return err == nil
	}
	if err := s.prune(ctx, r.id); err != nil { // also what is still on its way to a slow target: newer ones follow
		s.Log.Error("backup", "step", "prune", "err", err)
	}
	return true
}

// write makes the archive. It has its name only when it is complete and on disk.
func (s *service) write(ctx context.Context, r *run) error {
	free, needed, err := s.space(ctx)
	if err != nil {
		return err
	}
	if free < needed {
		return fault.With(fault.Conflict, tooSmall(free, needed))
	}
	keys, err := backup.OpenKeys(s.keyFile())
	if err != nil {
		return err
	}
	files, err := backup.ReadFiles(s.Dir)
	if err != nil {
		return err
	}
	to := s.path(r.id)
	f, err := os.OpenFile(to+partial, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("make the archive: %w", err)
	}
	defer os.Remove(to + partial) // it was renamed; if not, the next run removes it
	about := archive.About{ID: r.id, Product: s.Version, Host: r.host, NodeID: r.node, Kind: r.kind, Created: r.at}
	out, err := dump.Write(ctx, s.DB, f, dump.Backup{
		Header: archive.Header{About: about, Escrow: keys.Escrow()}, Keys: keys.Sealing(), Schemas: s.Schemas(), Files: files,
		Progress: s.progress(ctx, r.id, stepDatabase),
	})
	if err := errors.Join(err, closed(f, err)); err != nil {
		return err
	}
	if err := errors.Join(os.Rename(to+partial, to), privatefile.SyncDir(s.folder())); err != nil {
		return fmt.Errorf("name the archive: %w", err)
	}
	// With the uploads that are to follow: whoever is killed before them leaves what tidy takes up.
	_, err = s.DB.Exec(ctx, `update backups set status = 'done', size = $2, sha256 = $3, db_bytes = $4, files_bytes = $5, portable = $6, finished_at = $7, progress = null,
		remote_uploads = case when kind = 'before-restore' then '[]' else (select coalesce(jsonb_agg(jsonb_build_object(
			'target_id', t.id, 'name', t.name, 'state', 'pending', 'at', null) order by t.name), '[]') from backup_targets t where t.active) end where id = $1`,
		r.id, out.Size, out.SHA256, out.DBBytes, out.FilesBytes, keys.HasPassphrase(), s.Now())
	if err != nil {
		return errors.Join(fmt.Errorf("note the backup: %w", err), s.remove(r.id))
	}
	return nil
}

// closed brings a file to disk, unless it is of no use.
func closed(f *os.File, err error) error {
	if err != nil {
		return f.Close()
	}
	return errors.Join(f.Sync(), f.Close())
}

// failed notes why, also while the process is told to end. If the database is away, the next sweep does it.
func (s *service) failed(ctx context.Context, id string, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	_, err = s.DB.Exec(ctx, `update backups set status = 'failed', error = $2, finished_at = $3, progress = null where id = $1`, id, asJSON(why(err)), s.Now())
	if err != nil {
		s.Log.Error("backup", "id", id, "err", err)
	}
}

// why is what an operator may read of a failure.
func why(err error) fault.Sentence {
	f, known := fault.Of(err)
	switch {
	case known:
		return f.Sentence
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fault.Said("the disk of this node is full")
	case errors.Is(err, context.Canceled):
		return interrupted()
	case db.Unavailable(err):
		return fault.Said("the database did not answer")
	}
	return fault.Said("the reason is in the log of gateway-scheduler")
}

// The steps of a backup.
const (
	stepDatabase = "database"
	stepUpload   = "upload"
)

// progressEvery is how often the row tells how far it is.
const progressEvery = time.Second

// progress notes how far a step is, as often as somebody may look.
func (s *service) progress(ctx context.Context, id, step string) func(done, total int64) {
	var last time.Time
	return func(all, total int64) {
		if time.Since(last) < progressEvery {
			return
		}
		last = time.Now()
		// Whoever reads the archive for a request that was given up may do so after its end was noted.
		_, err := s.DB.Exec(ctx, `update backups set progress = $2 where id = $1 and (status = 'running' or remote_uploads @> '[{"state": "pending"}]')`, id, asJSON(Progress{step, all, total}))
		if err != nil && ctx.Err() == nil {
			s.Log.Warn("backup", "id", id, "err", err)
		}
	}
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // of our own types
	}
	return string(text)
}

// keepFailed is how many failed ones stay in the list, and keepSnapshots how many from before a restore: those push out no other.
const (
	keepFailed    = 20
	keepSnapshots = 3
)

// prune removes the oldest. The one that was just made stays, whatever the clock was when others were made, and the one
// that is being verified until that is over.
func (s *service) prune(ctx context.Context, made string) error {
	state, err := s.Setup.Load()
	if err != nil {
		return err
	}
	here, err := s.here()
	if err != nil {
		return err
	}
	old, err := s.surplus(ctx, here, state.Retention.Backups)
	if err != nil {
		return err
	}
	for _, b := range old {
		if b.ID == made || b.VerifyStatus == running {
			continue
		}
		if err := s.discard(ctx, b.ID); err != nil {
			return err
		}
	}
	return nil
}

// listed is what decides whether a backup stays.
type listed struct {
	ID, Kind, Status, VerifyStatus string
	StartedAt                      time.Time
}

// surplus are the backups beyond those that are kept. Of a folder that is away nothing can be removed.
func (s *service) surplus(ctx context.Context, here string, keep int) (out []listed, err error) {
	all, err := db.List[listed](ctx, s.DB, `select id::text, kind, status, verify_status, started_at from backups
		where status = 'failed' or status = 'done' and folder in ('', $1) order by started_at desc, id desc`, here)
	if err != nil {
		return nil, fmt.Errorf("list old backups: %w", err)
	}
	var kept []listed
	var at []time.Time
	snapshots, failures := 0, 0
	for _, b := range all {
		switch {
		case b.Status == failed:
			if failures++; failures > keepFailed {
				out = append(out, b)
			}
		case b.Kind == beforeRestore:
			if snapshots++; snapshots > keepSnapshots {
				out = append(out, b)
			}
		default:
			kept, at = append(kept, b), append(at, b.StartedAt)
		}
	}
	for _, place := range backup.Surplus(at, keep, s.Now()) {
		out = append(out, kept[place])
	}
	return out, nil
}

// discard removes file and row, in this order: what is in the list can be removed again.
func (s *service) discard(ctx context.Context, id string) error {
	if err := s.remove(id); err != nil {
		return err
	}
	return s.forget(ctx, id)
}

// forget removes the row alone.
func (s *service) forget(ctx context.Context, id string) error {
	if _, err := s.DB.Exec(ctx, `delete from backups where id = $1`, id); err != nil {
		return fmt.Errorf("delete backup %s: %w", id, err)
	}
	return nil
}
