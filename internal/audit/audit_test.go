package audit_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/audit"
	"gateway/internal/db/dbtest"
)

var start = time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)

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

// Nobody has less kept than the log says, and never less than 30 days; what it says follows the entries that set it.
func TestNobodyPrunesWhatIsKept(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	clock := time.Now().AddDate(0, 0, -100)
	log := audit.NewLog("node-1", func() time.Time { return clock })
	record := func(action, detail string) {
		t.Helper()
		if err := log.Record(t.Context(), pool, audit.Entry{Actor: "ann", Action: action, Subject: "s", Detail: json.RawMessage(detail)}); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name, action, detail string
		daysAgo              int
		refused              bool
	}{
		{"by default 365 days", "user.create", `{}`, 360, true},
		{"older ones may go", "user.create", `{}`, 366, false},
		{"an entry that says nothing of it", "user.create", `{"to":{"audit_days":1}}`, 99, true},
		{"one that cannot be read", "system.retention", `{"to":{"audit_days":"all"}}`, 99, true},
		{"one that failed", "system.retention.failed", `{"why":"the disk is full"}`, 99, true},
		{"set to 90 days", "system.retention", `{"from":{"audit_days":365},"to":{"backups":1,"audit_days":90}}`, 80, true},
		{"set to 1 day", "system.retention", `{"to":{"audit_days":1}}`, 28, true},
		{"set to 1 day: 30 are kept", "system.retention", `{"to":{"audit_days":1}}`, 31, false},
	} {
		record(tc.action, tc.detail)
		_, err := log.Prune(t.Context(), pool, time.Now().AddDate(0, 0, -tc.daysAgo))
		if (err != nil) != tc.refused {
			t.Errorf("%s: pruning what is older than %d days: %v, want it refused: %t", tc.name, tc.daysAgo, err, tc.refused)
		}
	}
}

// What was not set through an entry is said by one before anything goes.
func TestTheLogSaysForHowLongItIsKept(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	log := fill(t, pool, 3)
	for _, tc := range []struct{ days, kept, entries int }{{400, 365, 3}, {90, 90, 4}, {90, 90, 4}, {365, 90, 4}} {
		if err := log.Keep(t.Context(), pool, tc.days); err != nil {
			t.Fatal(err)
		}
		heads, err := audit.Heads(t.Context(), pool)
		if err != nil || len(heads) != 1 || heads[0].KeptDays != tc.kept || heads[0].Seq != int64(tc.entries) {
			t.Errorf("after %d days: %+v (%v), want %d days kept and %d entries", tc.days, heads, err, tc.kept, tc.entries)
		}
	}
}

// A front that was cut though it was to be kept is found by the anchors outside, whoever cut it.
func TestACutOfTheFrontIsHeldAgainstTheRetention(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	fill(t, pool, 10)
	hash := func(seq int64) (h string) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `select encode(hash, 'hex') from audit_entries where seq = $1`, seq).Scan(&h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	third, last := hash(3), hash(10)
	for _, q := range []string{
		`update audit_heads set base_seq = 5, base_hash = (select hash from audit_entries where seq = 5)`, `delete from audit_entries where seq <= 5`,
	} {
		if _, err := pool.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		name      string
		ago       int // days since the third entry was the last
		then, now int // days kept
		want      string
	}{
		{"old enough", 366, 365, 365, ""},
		{"younger than is kept", 100, 365, 365, "younger than those 365 days"},
		{"kept for less since", 100, 365, 90, ""},
		{"kept for less before", 100, 90, 365, ""},
		{"anchored before the log had it", 100, 0, 365, ""},
		{"of the last day", 0, 365, 1, "none of the last day"},
	} {
		anchors := []audit.Anchored{
			{NodeID: "node-1", Seq: 3, Hash: third, At: time.Now().AddDate(0, 0, -tc.ago), Days: tc.then},
			{NodeID: "node-1", Seq: 10, Hash: last, At: time.Now(), Days: tc.now},
		}
		r, err := audit.Compare(t.Context(), pool, "node-1", anchors)
		if got := fmt.Sprint(r.Breaks); err != nil || (tc.want == "") != (len(r.Breaks) == 0) || !strings.Contains(got, tc.want) {
			t.Errorf("%s: breaks = %s (%v), want %q", tc.name, got, err, tc.want)
		}
	}
}

// One entry that was seen is enough: the hashes tie all others of its chain to it.
func TestOneAnchorTellsALogFromOneBegunAnew(t *testing.T) {
	pool := dbtest.New(t, audit.Schema())
	fill(t, pool, 5)
	hash := func(seq int64) (h string) {
		t.Helper()
		if err := pool.QueryRow(t.Context(), `select encode(hash, 'hex') from audit_entries where seq = $1`, seq).Scan(&h); err != nil {
			t.Fatal(err)
		}
		return h
	}
	anchor := func(node string, seq int64, hash string) audit.Anchored {
		return audit.Anchored{NodeID: node, Seq: seq, Hash: hash}
	}
	second, last := hash(2), hash(5)
	for _, q := range []string{
		`update audit_heads set base_seq = 2, base_hash = (select hash from audit_entries where seq = 2)`, `delete from audit_entries where seq <= 2`,
	} {
		if _, err := pool.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	gone, no := anchor("node-1", 9, last), anchor("node-1", 5, "no hash")
	for _, tc := range []struct {
		name    string
		anchors []audit.Anchored
		want    bool
	}{
		{"there are none", nil, false},
		{"the last entry", []audit.Anchored{anchor("node-1", 5, last)}, true},
		{"one that was pruned last", []audit.Anchored{anchor("node-1", 2, second)}, true},
		{"it was set back", []audit.Anchored{anchor("node-1", 5, last), gone}, true},
		{"another entry of that number", []audit.Anchored{anchor("node-1", 5, second)}, false},
		{"another node's", []audit.Anchored{anchor("node-2", 5, last)}, false},
		{"none that can be read", []audit.Anchored{no}, false},
		{"one beside others", []audit.Anchored{no, gone, anchor("node-1", 5, last)}, true},
	} {
		if got, err := audit.HoldsAny(t.Context(), pool, tc.anchors); err != nil || got != tc.want {
			t.Errorf("%s: %v, %v, want %v", tc.name, got, err, tc.want)
		}
	}
}
