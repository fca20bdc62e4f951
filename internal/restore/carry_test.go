package restore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/restore"
)

// log is the ids of the entries in a database, and the reasons that those about restores give.
func (r *rig) log(name string) (ids, reasons []string) {
	r.t.Helper()
	r.with(name, func(c *pgx.Conn) error {
		_, breaks, err := audit.Verify(context.Background(), c)
		if err != nil || len(breaks) > 0 {
			r.t.Errorf("the log of %s: %v, %v", name, breaks, err)
		}
		rows, err := c.Query(context.Background(), `select id::text, coalesce(detail->>'reason', '') from audit_entries order by seq`)
		if err != nil {
			return err
		}
		var id, reason string
		_, err = pgx.ForEachRow(rows, []any{&id, &reason}, func() error {
			ids, reasons = append(ids, id), append(reasons, reason)
			return nil
		})
		return err
	})
	return ids, reasons
}

// anew makes the live log that of a node that lost its database and was set up again.
func (r *rig) anew(entries int) {
	r.t.Helper()
	r.in(restore.Live, `delete from audit_entries; update audit_heads set seq = 0, hash = '', base_seq = 0, base_hash = ''`)
	r.entries(restore.Live, entries)
}

// A log that was lost with its database comes back with the archive, also when a new one was begun meanwhile.
func TestALostAuditLogComesBack(t *testing.T) {
	r := newRig(t)
	archive, _ := r.log("archive")
	for _, tc := range []struct {
		entries int
		answer  restore.Answer
		stays   string // whose log
		says    string
	}{
		{0, restore.Confirm, "archive", ""},
		{0, restore.Undo, "archive", ""},
		{2, restore.Confirm, "archive", "in the archive stays: it has 5 entries"},
		{2, restore.Undo, "live", "from before the restore stays"},
		{7, restore.Confirm, "live", ""}, // the longer one
	} {
		when := fmt.Sprintf("%d entries, %s", tc.entries, tc.answer)
		r.fresh()
		r.anew(tc.entries)
		want, _ := r.log(restore.Live)
		if tc.stays == "archive" {
			want = archive
		}
		r.answer = tc.answer
		r.run(begin)
		got, reasons := r.log(restore.Live)
		if len(got) < len(want) || !slices.Equal(got[:len(want)], want) {
			t.Errorf("%s: the log is %v, want that it begins with %v", when, got, want)
		}
		if said := strings.Join(reasons, ""); !strings.Contains(said, tc.says) || tc.says == "" && said != "" {
			t.Errorf("%s: the reasons are %q, want %q", when, said, tc.says)
		}
	}
}

// An archive can say that it has all entries, and have none, or others.
func TestAForgedArchiveTakesNoAuditEntries(t *testing.T) {
	for name, forge := range map[string]string{
		"none":   `delete from audit_entries`,
		"others": `update audit_entries set actor = 'eve'`,
		"longer": `insert into audit_entries select gen_random_uuid(), node_id, seq + 100, created_at, actor, action, subject, detail, change_id, hash from audit_entries;
			update audit_heads set seq = 105`,
	} {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			before, _ := r.log(restore.Live)
			var seq int64
			var hash []byte
			r.with(restore.Live, func(c *pgx.Conn) error {
				return c.QueryRow(t.Context(), `select seq, hash from audit_heads`).Scan(&seq, &hash)
			})
			r.in("archive", fmt.Sprintf(`set session_replication_role = replica; update audit_heads set seq = %d, hash = '\x%x'; %s`, seq, hash, forge))
			r.answer = restore.Confirm
			r.run(begin)
			if side := r.check(name); side != "new" {
				t.Errorf("the state is %s", side)
			}
			if got, _ := r.log(restore.Live); !slices.Equal(got[:min(len(got), len(before))], before) {
				t.Errorf("the log is %v, want that it begins with %v", got, before)
			}
		})
	}
}
