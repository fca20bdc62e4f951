package app_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/app/apptest"
	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/tools/bar"
)

// A log of a million entries, with what makes searching hard: names that are
// everywhere, names that occurred a few times long ago, and names that never did.
func TestBarFoundation10AMillionAuditEntries(t *testing.T) {
	bar.NotShort(t)
	a, admin := apptest.Ready(t)
	n := bar.GateSize(100_000, 1_000_000, 1_000_000)
	fillAudit(t, a, n)
	worst, worstName := time.Duration(0), ""
	for name, query := range auditQueries(n) {
		p95 := percentile95(func() { admin.Get(query).Want(http.StatusOK) })
		if p95 > worst {
			worst, worstName = p95, name
		}
		t.Logf("%-30s p95 %v", name, p95.Round(100*time.Microsecond))
	}
	verifyNames(t, a, n*7/9)
	figure := fmt.Sprintf("worst p95 %.1f ms (%s) over %d entries; a flipped byte is named", worst.Seconds()*1000, worstName, n)
	bar.ReportTimed(t, "foundation", 10, figure, "<=50 ms, chain verifies", !t.Failed() && worst > 0, worst <= 50*time.Millisecond)
}

// auditQueries is one request each; where a query pages, it is the page in the middle.
func auditQueries(n int) map[string]string {
	search := func(pairs ...string) string {
		v := url.Values{}
		for i := 0; i < len(pairs); i += 2 {
			v.Set(pairs[i], pairs[i+1])
		}
		return "/audit/search?" + v.Encode()
	}
	middle := auditStart.Add(time.Duration(n/2) * auditStep).Format(time.RFC3339Nano)
	return map[string]string{
		"recent":                       "/audit/recent?limit=100",
		"no filter":                    search(),
		"frequent actor":               search("actor", "actor3@"),
		"actor of long ago":            search("actor", "long-gone"),
		"action of long ago":           search("action", "legacy.thing"),
		"nobody":                       search("actor", "no-such-person"),
		"one subject":                  search("subject", fmt.Sprintf("site-%06d.example", n/8)),
		"part of many subjects":        search("subject", "99.example"),
		"frequent actor, rare action":  search("actor", "actor1@", "action", "legacy"),
		"case ignored":                 search("actor", "ACTOR5@EXAMPLE"),
		"page in the middle":           search("before", middle, "before_seq", fmt.Sprint(n/2)),
		"an old day":                   search("since", auditStart.Format(time.RFC3339), "until", auditStart.Add(24*time.Hour).Format(time.RFC3339)),
		"an old day of an actor":       search("actor", "actor7@", "until", auditStart.Add(24*time.Hour).Format(time.RFC3339)),
		"many actions":                 search("action", "update"),
		"rare actor before the middle": search("actor", "long-gone", "before", middle, "before_seq", fmt.Sprint(n/2)),
		"three letters of nobody":      search("subject", "qzx"),
	}
}

func percentile95(fn func()) time.Duration {
	var took []time.Duration
	for range bar.Size(40, 200) {
		took = append(took, timed(fn))
	}
	return percentile(took, 95)
}

var auditStart = time.Date(2025, 11, 1, 0, 0, 0, 0, time.UTC)

const auditStep = 30 * time.Second

// fillAudit lays a whole chain behind the entries that are there.
func fillAudit(t *testing.T, a *apptest.App, n int) {
	t.Helper()
	ctx := t.Context()
	exec := func(q string, args ...any) {
		t.Helper()
		if _, err := a.Pool.Exec(ctx, q, args...); err != nil {
			t.Fatal(err)
		}
	}
	var node string
	if err := a.Pool.QueryRow(ctx, `select node_id from audit_heads`).Scan(&node); err != nil {
		t.Fatal(err)
	}
	exec(`truncate audit_entries`)
	exec(`alter table audit_entries disable trigger gateway_audit_next`) // the chain is made here
	var definitions string
	if err := a.Pool.QueryRow(ctx, `select string_agg(indexdef, '; ') from pg_indexes
		where indexname in ('audit_entries_actor', 'audit_entries_action', 'audit_entries_subject')`).Scan(&definitions); err != nil {
		t.Fatal(err)
	}
	exec(`drop index audit_entries_actor, audit_entries_action, audit_entries_subject`) // built anew below: ten times as fast
	rng, hash, seq := rand.New(rand.NewPCG(1, 2)), []byte{}, int64(0)
	_, err := a.Pool.CopyFrom(ctx, pgx.Identifier{"audit_entries"},
		[]string{"id", "node_id", "seq", "created_at", "actor", "action", "subject", "detail", "hash"},
		pgx.CopyFromFunc(func() ([]any, error) {
			if seq++; seq > int64(n) {
				return nil, nil
			}
			e := auditEntry(rng, seq, n)
			e.NodeID = node
			hash = audit.Link(hash, e)
			return []any{e.ID, node, seq, e.CreatedAt, e.Actor, e.Action, e.Subject, string(e.Detail), hash}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	exec(`set statement_timeout = 0; ` + definitions)
	exec(`insert into audit_names (kind, name) select distinct 'actor', actor from audit_entries union select distinct 'action', action from audit_entries on conflict do nothing`)
	exec(`alter table audit_entries enable trigger gateway_audit_next`)
	exec(`vacuum analyze audit_entries`)
	exec(`update audit_heads set seq = $1, hash = $2, base_seq = 0, base_hash = ''`, n, hash)
}

func auditEntry(rng *rand.Rand, seq int64, n int) audit.Entry {
	e := audit.Entry{
		ID: db.NewID(), Seq: seq, CreatedAt: auditStart.Add(time.Duration(seq) * auditStep),
		Actor:   fmt.Sprintf("actor%d@example.com", rng.IntN(20)),
		Action:  fmt.Sprintf("component%d.noun%d.update", rng.IntN(12), rng.IntN(5)),
		Subject: fmt.Sprintf("site-%06d.example", rng.IntN(n)), Detail: []byte(`{}`),
	}
	if seq < 5000 && seq%50 == 0 {
		e.Actor, e.Action = "long-gone@example.com", "legacy.thing.delete"
	}
	return e
}

// verifyNames runs gateway-ctl itself: whole before, and naming the entry after one byte of it was flipped.
func verifyNames(t *testing.T, a *apptest.App, seq int) {
	t.Helper()
	verify := func() (string, error) {
		cmd := exec.Command("go", "run", "gateway/cmd/gateway-ctl", "audit-verify", "--state-dir", a.Config.StateDir, "--database", a.Config.Database)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	start := time.Now()
	if out, err := verify(); err != nil || !strings.Contains(out, "every chain is intact") {
		t.Errorf("audit-verify = %s (%v), want it whole", out, err)
	}
	t.Logf("audit-verify took %v", time.Since(start).Round(time.Millisecond))
	if _, err := a.Pool.Exec(t.Context(), `update audit_entries set subject = overlay(subject placing 'S' from 1 for 1) where seq = $1`, seq); err != nil {
		t.Fatal(err)
	}
	if out, err := verify(); err == nil || !strings.Contains(out, fmt.Sprintf("entry %d ", seq)) {
		t.Errorf("audit-verify = %s (%v), want entry %d named", out, err, seq)
	}
}
