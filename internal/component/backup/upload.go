package backup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"gateway/internal/backup/offsite"
	"gateway/internal/fault"
	"gateway/internal/secret"
	"gateway/internal/sys"
	"gateway/internal/value"
)

// stored is a target as it is stored.
type stored struct {
	ID, Name, Kind string
	Place          string // see placeOf
	Settings       PlainSettings
	Secrets        []byte
	Keep           int
	Host, HostKey  string // that was pinned at the first connection
}

// placeOf is where a target's archives are, whatever it is called and however it is reached.
const placeOf = `regexp_replace(t.target_url, '^https?://', '')`

const selectTargets = `select t.id::text, t.name, t.kind, ` + placeOf + `, t.settings, t.secrets, t.keep, coalesce(s.host, ''), coalesce(s.host_key, '')
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

// uploads is how far one archive is on its way to all targets.
type uploads struct {
	mu    sync.Mutex
	moved atomic.Int64
	total int64
	using int // targets that it is on its way to
	tell  func(done, total int64)
}

// uploadTime is for a slow line; a target that takes nothing at all is given up much earlier.
const uploadTime = 6 * time.Hour

// put copies an archive to a target, and removes there what is not kept any longer.
func (s *service) put(ctx context.Context, b Backup, t stored) error {
	to, err := s.target(t)
	if err != nil {
		return err
	}
	health, err := s.Host.Health()
	if err != nil {
		return err
	}
	f, err := os.Open(s.path(b.ID))
	if errors.Is(err, fs.ErrNotExist) {
		return fault.Say("the archive of this backup is not on this node any more")
	}
	if err != nil {
		return err
	}
	defer f.Close()
	far, done := s.uploader.on(b, s.progress(ctx, b.ID, stepUpload))
	defer done()
	object := offsite.Name{Host: b.Host, Node: health.MachineID, At: b.StartedAt, ID: b.ID}.String()
	if err := s.claim(ctx, t, object); err != nil {
		return err
	}
	result, err := to.Put(ctx, s.outside(), object, b.Size, &counted{ReaderAt: f, of: far, total: far.total})
	if err != nil {
		return err
	}
	if err := s.pin(ctx, t, result); err != nil {
		return err
	}
	return s.retain(ctx, to, t, object)
}

// pin keeps the host key of a connection that worked, which is the first one, or one with the fingerprint that the operator entered.
// An upload takes hours: what was pinned since, or belongs to settings of since, is newer than what it began with and stays.
func (s *service) pin(ctx context.Context, t stored, seen offsite.Result) error {
	if t.Kind != sftp || seen.Fingerprint == "" {
		return nil
	}
	_, err := s.DB.Exec(ctx, `insert into backup_target_status (target_id, host, host_key) select id, $2, $3 from backup_targets
			where id = $1 and settings ->> 'host' = $6 and coalesce((settings ->> 'port')::int, 0) = $7 and coalesce(settings ->> 'host_key_fingerprint', '') = $8
		on conflict (target_id) do update set host = excluded.host, host_key = excluded.host_key where (backup_target_status.host, backup_target_status.host_key) = ($4, $5)`,
		t.ID, t.Settings.server(), seen.Fingerprint, t.Host, t.HostKey, t.Settings.Host, t.Settings.Port, t.Settings.Fingerprint)
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
