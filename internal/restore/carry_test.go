package restore_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

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

// anew makes a log that of a node that lost its database and was set up again.
func (r *rig) anew(name string, entries int) {
	r.t.Helper()
	r.in(name, `delete from audit_entries; update audit_heads set seq = 0, hash = '', base_seq = 0, base_hash = ''`)
	r.entries(name, entries)
}

// end is the head of the one chain that there is.
func (r *rig) end(name string) (h audit.Head) {
	r.t.Helper()
	r.with(name, func(c *pgx.Conn) error {
		heads, err := audit.Heads(context.Background(), c)
		if err == nil && len(heads) != 1 {
			err = fmt.Errorf("there are %d chains", len(heads))
		}
		if err == nil {
			h = heads[0]
		}
		return err
	})
	return h
}

// A log that was lost with its database comes back with the archive, also when a new one was begun meanwhile.
func TestALostAuditLogComesBack(t *testing.T) {
	r := newRig(t)
	archive, _ := r.log("archive")
	for _, tc := range []struct {
		entries int
		anchors string // of which log gateway-apply has some
		answer  restore.Answer
		stays   string // whose log
		says    string
	}{
		{0, "lost", restore.Confirm, "archive", ""},
		{0, "lost", restore.Undo, "archive", ""},
		{2, "lost", restore.Confirm, "archive", "in the archive stays: it has 5 entries"},
		{2, "lost", restore.Undo, "live", "from before the restore stays"},
		{7, "lost", restore.Confirm, "live", ""}, // the longer one
		// Another machine, or one whose anchors were lost, too.
		{0, "none", restore.Confirm, "archive", ""},
		{2, "none", restore.Confirm, "archive", "in the archive stays: it has 5 entries"},
		{2, "none", restore.Undo, "live", "from before the restore stays"},
		// One that was seen since: by this alone nobody can tell it from the log of years.
		{2, "new", restore.Confirm, "live", "was not taken over: it has 5 entries"},
		{2, "new", restore.Undo, "live", "was not taken over: it has 5 entries"},
	} {
		when := fmt.Sprintf("%d entries, the anchors: %s, %s", tc.entries, tc.anchors, tc.answer)
		r.fresh()
		r.anew(restore.Live, tc.entries)
		if tc.anchors != "lost" {
			r.anchors = nil
		}
		if tc.anchors == "new" {
			r.anchor()
		}
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
			end := r.end(restore.Live)
			r.in("archive", fmt.Sprintf(`set session_replication_role = replica; update audit_heads set seq = %d, hash = '\x%x'; %s`, end.Seq, end.Hash, forge))
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

// Whoever has the key of the archives can make one whose log has nothing in common with the live one, and more entries.
var otherLogs = map[string]func(r *rig, end audit.Head){
	"one that is rightly made": func(r *rig, _ audit.Head) { r.anew("archive", 40) },
	"one with hashes that are none": func(r *rig, _ audit.Head) {
		r.anew("archive", 40)
		r.in("archive", `set session_replication_role = replica; update audit_entries set hash = sha256(hash); update audit_heads set hash = sha256(hash)`)
	},
	"one that follows the live one as if that had been pruned": func(r *rig, end audit.Head) {
		r.anew("archive", 0)
		r.in("archive", fmt.Sprintf(`update audit_heads set seq = %d, hash = '\x%x', base_seq = %[1]d, base_hash = '\x%[2]x'`, end.Seq, end.Hash))
		r.entries("archive", 40)
	},
}

// While one anchor names an entry of the live log, that stays, also where the database was set back since.
func TestAnotherLogInTheArchiveTakesNoAuditEntries(t *testing.T) {
	for name, forge := range otherLogs {
		for _, answer := range []restore.Answer{restore.Confirm, restore.Undo} {
			for _, later := range []int64{0, 90} {
				t.Run(fmt.Sprintf("%s, %s, set back by %d", name, answer, later), func(t *testing.T) {
					r := newRig(t)
					before, _ := r.log(restore.Live)
					end := r.end(restore.Live)
					forge(r, end)
					if later > 0 {
						r.anchors = append(r.anchors, audit.Anchored{NodeID: node, Seq: end.Seq + later, Hash: "aa", At: time.Now()})
					}
					r.answer = answer
					r.run(begin)
					if later > 0 {
						r.anchors = slices.DeleteFunc(r.anchors, func(a audit.Anchored) bool { return a.Hash == "aa" }) // which audit-verify reports
					}
					if side := r.check(name); side != map[restore.Answer]string{restore.Confirm: "new", restore.Undo: "old"}[answer] {
						t.Errorf("the state is %s", side)
					}
					if got, _ := r.log(restore.Live); !slices.Equal(got[:min(len(got), len(before))], before) {
						t.Errorf("the log is %v, want that it begins with %v", got, before)
					}
				})
			}
		}
	}
}

// The chain of another node came with an earlier archive, and nobody anchors it here. It stays with the log that it is in.
func TestTheChainOfAnotherNodeStaysInAnAnchoredLog(t *testing.T) {
	r := newRig(t)
	other := func(name string, entries int) {
		log := audit.NewLog("node-2", time.Now)
		r.with(name, func(c *pgx.Conn) error {
			for range entries {
				if err := log.Record(t.Context(), c, audit.Entry{Actor: "ann", Action: "ntp.pool.create", Subject: name}); err != nil {
					return err
				}
			}
			return nil
		})
	}
	other("archive", 40)
	for anchored, want := range map[bool]string{true: restore.Live + " 3", false: "archive 40"} {
		r.fresh()
		r.in(restore.Live, `delete from audit_entries where node_id = 'node-2'; delete from audit_heads where node_id = 'node-2'`)
		other(restore.Live, 3)
		if !anchored {
			r.anchors = nil
		}
		r.answer = restore.Confirm
		r.run(begin)
		var got string
		r.with(restore.Live, func(c *pgx.Conn) error {
			return c.QueryRow(t.Context(), `select min(subject) || ' ' || count(*) from audit_entries where node_id = 'node-2'`).Scan(&got)
		})
		if got != want {
			t.Errorf("anchored: %v, the chain is %q, want %q", anchored, got, want)
		}
	}
}

// A log that was begun anew may have no anchors. One of an archive takes its place only if its hashes are right, and undoing that
// brings back every entry.
func TestALogWithoutAnchorsComesBackByUndoing(t *testing.T) {
	for name, forge := range otherLogs {
		t.Run(name, func(t *testing.T) {
			r := newRig(t)
			before, _ := r.log(restore.Live)
			forge(r, r.end(restore.Live))
			r.anchors = nil
			r.answer = restore.Undo
			r.run(begin)
			if r.state.Result != restore.Undone {
				t.Errorf("the result is %s", r.state.Result)
			}
			got, reasons := r.log(restore.Live)
			if !slices.Equal(got[:min(len(got), len(before))], before) {
				t.Errorf("the log is %v, want that it begins with %v", got, before)
			}
			if said := strings.Join(reasons, ""); strings.Contains(said, "was altered") != strings.Contains(name, "hashes") {
				t.Errorf("the reasons are %q", said)
			}
		})
	}
}
