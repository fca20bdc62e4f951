package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gateway/internal/backup/offsite"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/sys"
	"gateway/internal/value"
)

// stored is a target as it is stored.
type stored struct {
	ID, Name, Kind string
	Settings       PlainSettings
	Secrets        []byte
	Keep           int
	Host, HostKey  string // that was pinned at the first connection
}

const selectTargets = `select t.id::text, t.name, t.kind, t.settings, t.secrets, t.keep, coalesce(s.host, ''), coalesce(s.host_key, '')
	from backup_targets t left join backup_target_status s on s.target_id = t.id`

// target is what package offsite needs of it.
func (s *service) target(t stored) (offsite.Target, error) {
	secrets, err := s.open(t.ID, t.Secrets)
	if err != nil {
		return offsite.Target{}, err
	}
	set := t.Settings
	if t.Kind == s3 {
		return offsite.Target{Kind: offsite.KindS3, S3: &offsite.S3{
			Endpoint: set.Endpoint, Region: set.Region, Bucket: set.Bucket, AccessKey: set.AccessKey, SecretKey: secret.Text(secrets["secret_key"]),
			Prefix: set.PathPrefix, HTTPS: *value.OrTrue(set.HTTPS),
		}}, nil
	}
	pinned := set.Fingerprint
	if pinned == "" && t.Host == set.server() {
		pinned = t.HostKey
	}
	return offsite.Target{Kind: offsite.KindSFTP, SFTP: &offsite.SFTP{
		Host: set.Host, Port: set.Port, User: set.Username, Password: secret.Text(secrets["password"]), PrivateKey: secret.Text(secrets["private_key"]),
		Dir: set.RemoteDir, Fingerprint: pinned,
	}}, nil
}

// outside is how targets are reached.
func (s *service) outside() offsite.Deps {
	d := s.Outside
	d.Own = s.addresses
	return d
}

func (s *service) addresses() ([]netip.Addr, error) {
	links, err := s.Host.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("list own addresses: %w", err)
	}
	return sys.Addresses(links), nil
}

// uploads is one archive on its way to all targets.
type uploads struct {
	*service
	backup  Backup
	object  string // its name at the targets
	node    string
	file    *os.File
	mu      sync.Mutex
	results []Upload
	moved   atomic.Int64
	tell    func(done, total int64)
}

// upload copies an archive to every target that was active when it was complete, one beside the other, or to those that
// are left of an upload that was interrupted. What fails is in the row, and harms nobody else.
func (s *service) upload(ctx context.Context, id string) {
	if err := s.uploadAll(ctx, id); err != nil && ctx.Err() == nil {
		s.Log.Error("backup", "id", id, "step", "upload", "err", err)
	}
}

func (s *service) uploadAll(ctx context.Context, id string) error {
	b, err := s.find(ctx, id)
	if err != nil {
		return err
	}
	all, err := db.List[stored](ctx, s.DB, selectTargets+` where t.active order by t.name`)
	if err != nil {
		return fmt.Errorf("list targets: %w", err)
	}
	health, err := s.Host.Health()
	if err != nil {
		return err
	}
	u := &uploads{service: s, backup: b, node: health.MachineID, results: b.RemoteUploads, tell: s.progress(ctx, id, stepUpload)}
	u.object = offsite.Name{Host: b.Host, Node: u.node, At: b.StartedAt, ID: b.ID}.String()
	left := u.plan(all)
	if len(u.results) == 0 {
		return nil
	}
	if err := u.note(ctx); err != nil {
		return err
	}
	if u.file, err = os.Open(s.path(id)); err != nil {
		return u.missing(ctx, left, err)
	}
	defer u.file.Close()
	var group sync.WaitGroup
	for i, t := range left {
		group.Go(func() { u.one(ctx, i, t, len(left)) })
	}
	group.Wait()
	return u.rest(ctx)
}

// missing ends uploads whose archive somebody removed.
func (u *uploads) missing(ctx context.Context, left map[int]stored, err error) error {
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for i := range left {
		u.results[i].set(u.Now(), fault.Say("the archive of this backup is not on this node any more"))
	}
	return u.note(ctx)
}

// plan says to which targets it is still to go, by their places in the results. A target that is gone since is told.
func (u *uploads) plan(all []stored) map[int]stored {
	left := map[int]stored{}
	for i, r := range u.results {
		at := slices.IndexFunc(all, func(t stored) bool { return t.ID == r.TargetID })
		switch {
		case r.State != pending:
		case at >= 0:
			left[i] = all[at]
		default:
			u.results[i].set(u.Now(), fault.Say("the target was removed or switched off"))
		}
	}
	return left
}

func (r *Upload) set(at time.Time, err error) {
	r.State, r.At = done, &at
	if err != nil {
		said := reason(err)
		r.State, r.Error = failed, &said
	}
}

// note stores the results so far.
func (u *uploads) note(ctx context.Context) error {
	_, err := u.DB.Exec(ctx, `update backups set remote_uploads = $2 where id = $1`, u.backup.ID, asJSON(u.results))
	if err != nil {
		return fmt.Errorf("note the uploads of backup %s: %w", u.backup.ID, err)
	}
	return nil
}

// uploadTime is for a slow line; a target that takes nothing at all is given up much earlier.
const uploadTime = 6 * time.Hour

// one uploads to one target. What the process itself interrupts stays pending.
func (u *uploads) one(ctx context.Context, place int, t stored, of int) {
	bounded, cancel := context.WithTimeout(ctx, uploadTime)
	err := u.put(bounded, t, of)
	cancel()
	if ctx.Err() != nil {
		return
	}
	if err != nil {
		u.Log.Error("backup", "id", u.backup.ID, "target", t.ID, "err", err)
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.results[place].set(u.Now(), err)
	if err := errors.Join(u.note(ctx), u.told(ctx, t.ID, u.results[place])); err != nil {
		u.Log.Error("backup", "target", t.ID, "err", err)
	}
}

func (u *uploads) put(ctx context.Context, t stored, of int) error {
	to, err := u.target(t)
	if err != nil {
		return err
	}
	result, err := to.Put(ctx, u.outside(), u.object, u.backup.Size, &counted{ReaderAt: u.file, of: u, total: u.backup.Size * int64(of)})
	if err != nil {
		return err
	}
	if err := u.pin(ctx, t, result); err != nil {
		return err
	}
	keep := t.Keep
	if keep == 0 {
		state, err := u.Setup.Load()
		if err != nil {
			return err
		}
		keep = state.Retention.Backups
	}
	if _, err := to.Retain(ctx, u.outside(), u.node, keep, u.object); err != nil { // a bucket may allow no deletion
		u.Log.Warn("backup", "target", t.ID, "step", "retain", "err", err)
	}
	return nil
}

// pin keeps the host key of a connection that worked, which is the first one, or one with the fingerprint that the operator entered.
func (s *service) pin(ctx context.Context, t stored, seen offsite.Result) error {
	if t.Kind != sftp || seen.Fingerprint == "" {
		return nil
	}
	_, err := s.DB.Exec(ctx, `insert into backup_target_status (target_id, host, host_key) select id, $2, $3 from backup_targets where id = $1
		on conflict (target_id) do update set host = excluded.host, host_key = excluded.host_key`, t.ID, t.Settings.server(), seen.Fingerprint)
	if err != nil {
		return fmt.Errorf("keep the host key of target %s: %w", t.ID, err)
	}
	return nil
}

// told keeps how it went with a target.
func (s *service) told(ctx context.Context, id string, r Upload) error {
	query := `insert into backup_target_status (target_id, last_upload_at) select id, $2 from backup_targets where id = $1
		on conflict (target_id) do update set last_upload_at = excluded.last_upload_at, last_error = null, last_error_at = null`
	args := []any{id, r.At}
	if r.Error != nil {
		query = `insert into backup_target_status (target_id, last_error_at, last_error) select id, $2, $3 from backup_targets where id = $1
			on conflict (target_id) do update set last_error_at = excluded.last_error_at, last_error = excluded.last_error`
		args = append(args, asJSON(r.Error))
	}
	if _, err := s.DB.Exec(ctx, query, args...); err != nil {
		return fmt.Errorf("note the state of target %s: %w", id, err)
	}
	return nil
}

// rest ends the progress.
func (u *uploads) rest(ctx context.Context) error {
	_, err := u.DB.Exec(ctx, `update backups set progress = null where id = $1`, u.backup.ID)
	return err
}

// counted is the archive on its way to one target, with how much of it was read for all of them.
type counted struct {
	io.ReaderAt
	of    *uploads
	total int64
	far   atomic.Int64
}

func (c *counted) ReadAt(p []byte, at int64) (int, error) {
	n, err := c.ReaderAt.ReadAt(p, at)
	all := c.of.moved.Add(c.further(at + int64(n)))
	if c.of.mu.TryLock() { // somebody else tells
		c.of.tell(min(all, c.total), c.total)
		c.of.mu.Unlock()
	}
	return n, err
}

// further is how much was read for the first time: an object store wants the hash of a part before the part itself.
func (c *counted) further(to int64) int64 {
	for {
		far := c.far.Load()
		if to <= far {
			return 0
		}
		if c.far.CompareAndSwap(far, to) {
			return to - far
		}
	}
}
