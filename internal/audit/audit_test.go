package audit_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/audit"
	"gateway/internal/db/dbtest"
)

var start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// fill writes n entries a second apart.
func fill(t *testing.T, pool *pgxpool.Pool, n int) *audit.Log {
	t.Helper()
	now := start
	log := audit.NewLog("node-1", func() time.Time { now = now.Add(time.Second); return now })
	for i := range n {
		e := audit.Entry{Actor: "Ann@example.com", Action: "dns.zone.create", Subject: fmt.Sprintf("zone-%02d.example", i)}
		if err := log.Record(context.Background(), pool, e); err != nil {
			t.Fatal(err)
		}
	}
	return log
}

// shows AUDIT-11, AUDIT-12
func TestSearch(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	fill(t, pool, 20)
	tests := []struct {
		name string
		q    audit.Query
		want int
	}{
		{"no filter finds all", audit.Query{}, 20},
		{"actor ignores case", audit.Query{Actor: "ANN@"}, 20},
		{"action matches anywhere", audit.Query{Action: "ZONE"}, 20},
		{"subject narrows", audit.Query{Subject: "zone-07"}, 1},
		{"a percent sign is text", audit.Query{Subject: "%"}, 0},
		{"an underscore is text", audit.Query{Subject: "zone_07"}, 0},
		{"since is inclusive", audit.Query{Since: start.Add(20 * time.Second)}, 1},
		{"until is inclusive", audit.Query{Until: start.Add(5 * time.Second)}, 5},
		{"limit holds", audit.Query{Limit: 3}, 3},
		{"a cursor goes on after its entry", audit.Query{Before: &audit.Cursor{CreatedAt: start.Add(10 * time.Second), Seq: 10}}, 9},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if tc.q.Limit == 0 {
				tc.q.Limit = 100
			}
			got, err := audit.Search(t.Context(), pool, tc.q)
			if err != nil || len(got) != tc.want {
				t.Errorf("found %d (%v), want %d", len(got), err, tc.want)
			}
		})
	}
}

func TestVerifyNamesWhatWasTamperedWith(t *testing.T) {
	tests := []struct {
		name, tamper, want string
	}{
		{"nothing", `select 1`, ""},
		{"a changed subject", `update audit_entries set subject = 'x' where seq = 7`, "entry 7 "},
		{"a changed time", `update audit_entries set created_at = created_at + interval '1 microsecond' where seq = 3`, "entry 3 "},
		{"a changed detail", `update audit_entries set detail = '{ }' where seq = 4`, "entry 4 "},
		{"a removed entry", `delete from audit_entries where seq = 5`, "entry 5 "},
		{"a cut tail", `delete from audit_entries where seq > 8`, "entry 9 "},
		{"a cut front", `delete from audit_entries where seq < 4`, "entry 1 "},
		{"two swapped", `update audit_entries set seq = case seq when 2 then -3 when 3 then -2 end where seq in (2, 3); update audit_entries set seq = -seq where seq < 0`, "entry 2 "},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			pool := dbtest.New(t, audit.Schema())
			fill(t, pool, 10)
			for q := range strings.SplitSeq(tc.tamper, "; ") {
				if _, err := pool.Exec(t.Context(), q); err != nil {
					t.Fatal(err)
				}
			}
			_, breaks, err := audit.Verify(t.Context(), pool)
			got := fmt.Sprint(breaks)
			if err != nil || (tc.want == "") != (len(breaks) == 0) || !strings.Contains(got, tc.want) {
				t.Errorf("breaks = %s (%v), want %q", got, err, tc.want)
			}
		})
	}
}

func TestPruneKeepsTheChainVerifiable(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	log := fill(t, pool, 10)
	n, err := log.Prune(t.Context(), pool, start.Add(5*time.Second))
	if err != nil || n != 4 {
		t.Fatalf("pruned %d (%v), want 4", n, err)
	}
	if n, err := log.Prune(t.Context(), pool, start); err != nil || n != 0 {
		t.Errorf("pruned %d (%v) again, want 0", n, err)
	}
	if n, breaks, err := audit.Verify(t.Context(), pool); n != 6 || len(breaks) != 0 || err != nil {
		t.Errorf("verify = %d, %v, %v; want 6 whole entries", n, breaks, err)
	}
	if _, err := log.Prune(t.Context(), pool, start.Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if n, breaks, err := audit.Verify(t.Context(), pool); n != 0 || len(breaks) != 0 || err != nil {
		t.Errorf("verify = %d, %v, %v; want an empty whole chain", n, breaks, err)
	}
	var names int
	if err := pool.QueryRow(t.Context(), `select count(*) from audit_names`).Scan(&names); err != nil || names != 0 {
		t.Errorf("%d names (%v) are left of no entry", names, err)
	}
}

// shows AUDIT-09, AUDIT-10
func TestASlowSubscriberLosesEntriesAndBlocksNobody(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	live := audit.NewLive(pool, "node-1", slog.New(slog.DiscardHandler))
	live.Poll(t.Context())
	sub, err := live.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if audit.Buffer != 32 {
		t.Errorf("the buffer takes %d entries, want 32", audit.Buffer)
	}
	fill(t, pool, audit.Buffer+5)
	live.Poll(t.Context()) // returns although nobody reads
	if live.Lost() != 5 {
		t.Errorf("lost %d, want 5: a buffer of %d", live.Lost(), audit.Buffer)
	}
	for want := range int64(audit.Buffer) {
		if e, err := sub.Next(t.Context()); err != nil || e.Seq != want+1 {
			t.Fatalf("next = %d (%v), want %d", e.Seq, err, want+1)
		}
	}
}

func TestASubscriberSeesNoEntryTwice(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	log := fill(t, pool, 60)
	live := audit.NewLive(pool, "node-1", slog.New(slog.DiscardHandler))
	sub, err := live.Subscribe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer sub.Close()
	if n := len(sub.Snapshot); n != audit.Snapshot || sub.Snapshot[0].Seq != 11 || sub.Snapshot[n-1].Seq != 60 {
		t.Errorf("snapshot has %d entries, want the last %d, oldest first", n, audit.Snapshot)
	}
	live.Poll(t.Context())
	if err := log.Record(t.Context(), pool, audit.Entry{Actor: "a", Action: "b", Subject: "c"}); err != nil {
		t.Fatal(err)
	}
	live.Poll(t.Context())
	if e, err := sub.Next(t.Context()); err != nil || e.Seq != 61 {
		t.Errorf("next = %d (%v), want 61", e.Seq, err)
	}
}
