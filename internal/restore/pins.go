package restore

import (
	"context"
	"errors"
	"net"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// pinned is the table with the host keys of off-site servers, and how it goes with each target.
const pinned = "backup_target_status"

// pin is the host key that a server had when it was first reached for a target.
type pin struct{ Target, Host, Key string }

const selectPins = `select target_id::text as target, host, host_key as key from backup_target_status where host_key <> '' order by last_upload_at desc nulls last, target_id`

// carryPins brings how it goes with the targets, and has each server keep the host key that it is known by: whoever is in its
// place just after a restore, or after one that was undone, must not be believed because a target is another one, or was
// at another server for a while. What this node knows counts more than the archive; what it knew before the restore, more
// than what came since.
func carryPins(ctx context.Context, src *pgx.Conn, tx pgx.Tx, to string) error {
	there, err := has(ctx, tx, pinned)
	targets, err2 := has(ctx, tx, "backup_targets")
	if err := errors.Join(err, err2); err != nil || !there || !targets {
		return err
	}
	own, err := db.List[pin](ctx, tx, selectPins)
	if err != nil {
		return err
	}
	var live []pin
	replaced, err := replaceRows(ctx, src, tx, pinned)
	if err == nil && replaced {
		live, err = db.List[pin](ctx, tx, selectPins)
	}
	if err != nil {
		return err
	}
	known := slices.Concat(live, own)
	if to == Before {
		known = slices.Concat(own, live)
	}
	servers, err := db.List[struct {
		ID, Host string
		Port     int
	}](ctx, tx, `select id::text, settings->>'host' as host, coalesce((settings->>'port')::integer, 0) as port from backup_targets where kind = 'sftp'`)
	if err != nil {
		return err
	}
	var b pgx.Batch
	for _, s := range servers {
		host := net.JoinHostPort(s.Host, strconv.Itoa(s.Port))
		if key := keyFor(known, s.ID, host); key != "" {
			b.Queue(`insert into backup_target_status (target_id, host, host_key) values ($1, $2, $3)
				on conflict (target_id) do update set host = excluded.host, host_key = excluded.host_key`, s.ID, host, key)
		}
	}
	return tx.SendBatch(ctx, &b).Close()
}

// keyFor is the key of a server: the one that it has for this target, or else for another one.
func keyFor(known []pin, target, host string) string {
	for _, same := range []func(pin) bool{func(p pin) bool { return p.Target == target }, func(pin) bool { return true }} {
		if i := slices.IndexFunc(known, func(p pin) bool { return p.Host == host && same(p) }); i >= 0 {
			return known[i].Key
		}
	}
	return ""
}
