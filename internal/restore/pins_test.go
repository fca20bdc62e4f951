package restore_test

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/restore"
)

// targets are the tables of the off-site targets, as far as host keys concern.
const targets = `create table backup_targets (id uuid primary key, kind text not null, settings jsonb not null);
	create table backup_target_status (target_id uuid primary key, last_upload_at timestamptz, host text not null default '', host_key text not null default '')`

const target = "00000000-0000-0000-0000-0000000000%02d"

// at has a target at a server, and what is known of it.
func (r *rig) targetAt(database string, id int, host, pinnedHost, key string) {
	r.t.Helper()
	r.in(database, fmt.Sprintf(`delete from backup_targets where id = '`+target+`'; delete from backup_target_status where target_id = '`+target+`';
		insert into backup_targets values ('`+target+`', 'sftp', jsonb_build_object('host', '%s', 'port', 22));
		insert into backup_target_status values ('`+target+`', now(), '%s', '%s')`, id, id, id, host, id, pinnedHost, key))
}

// key is the one that the target is known by at the server that it is at.
func (r *rig) key(id int) (key string) {
	r.t.Helper()
	r.with(restore.Live, func(c *pgx.Conn) error {
		return c.QueryRow(r.t.Context(), `select coalesce((select s.host_key from backup_target_status s where s.target_id = t.id and s.host = (t.settings->>'host') || ':22'), '')
			from backup_targets t where t.id = $1::text::uuid`, fmt.Sprintf(target, id)).Scan(&key)
	})
	return key
}

// Whoever takes the place of a server just after a restore must not be believed.
func TestAServerKeepsItsHostKey(t *testing.T) {
	r := newRig(t)
	r.in("archive", targets)
	r.targetAt("archive", 1, "vault", "vault:22", "old key")    // known here by another key
	r.targetAt("archive", 2, "vault", "", "")                   // the same server, by a target that is not here any more
	r.targetAt("archive", 3, "attic", "attic:22", "attic-key")  // not here any more: only the archive knows it
	r.targetAt("archive", 4, "cellar", "elsewhere:22", "wrong") // nobody knows that server
	for _, tc := range []struct {
		answer restore.Answer
		want   map[int]string
	}{
		{restore.Confirm, map[int]string{1: "vault-key", 2: "vault-key", 3: "attic-key", 4: ""}},
		{restore.Undo, map[int]string{1: "vault-key"}},
	} {
		r.fresh()
		r.in(restore.Live, `delete from backup_targets; delete from backup_target_status`)
		r.targetAt(restore.Live, 1, "vault", "vault:22", "vault-key")
		r.answer = tc.answer
		r.run(begin)
		for id, want := range tc.want {
			if got := r.key(id); got != want {
				t.Errorf("%s: target %d has the key %q, want %q", tc.answer, id, got, want)
			}
		}
	}
}

// A restore that is undone had the target at another server for a while, which was pinned then.
func TestUndoingBringsTheHostKeyBack(t *testing.T) {
	r := newRig(t)
	r.in("archive", targets)
	r.fresh()
	r.targetAt(restore.Live, 1, "vault", "vault:22", "vault-key")
	ctx := t.Context()
	r.admin("alter database %s rename to %s", r.cluster.Prefix+restore.Live, r.cluster.Prefix+restore.Before)
	r.admin("create database %s template %s", r.cluster.Prefix+restore.Live, r.cluster.Prefix+"archive")
	r.targetAt(restore.Live, 1, "attic", "attic:22", "attic-key")
	r.targetAt(restore.Live, 2, "vault", "vault:22", "other-key")
	for range 2 { // as after a kill
		if err := r.cluster.Carry(ctx, restore.Live, restore.Before, restore.Note{Action: "backup.restore.undone", Actor: "ann"}, nil); err != nil {
			t.Fatal(err)
		}
	}
	r.admin("drop database %s with (force)", r.cluster.Prefix+restore.Live)
	r.admin("alter database %s rename to %s", r.cluster.Prefix+restore.Before, r.cluster.Prefix+restore.Live)
	if got := r.key(1); got != "vault-key" {
		t.Errorf("the key is %q", got)
	}
}
