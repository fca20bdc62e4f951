package app_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"gateway/internal/api"
	"gateway/internal/app"
	"gateway/internal/app/apptest"
	"gateway/internal/daemon"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/tools/bar"
)

// Whatever is not stored in the end leaves nothing behind: no row, no file, nothing asked
// of the applier. The same request for real does.
func TestBarTrust01NothingIsLeftBehind(t *testing.T) {
	var refuse atomic.Bool
	s := newStage(t, apptest.WithDaemon(picky(t, &refuse)))
	s.failCommits()
	var sum tally
	ways := map[string]int{}
	for _, op := range operations(t, s.App) {
		// Setup has to work without a database, so there is no commit that it could wait for.
		if op.stream || !op.mutates() || op.readOnly || strings.HasPrefix(op.path, "/setup/") {
			continue
		}
		sum.add(s.leavesNothing(op, &refuse, ways))
	}
	figure := fmt.Sprintf("%d of %d requests that were not stored left something (%d dry runs, %d refused, %d failing batches that ran the operation, %d that cannot have it, %d that should have run it, %d failing commits, %d refused candidates); control: %d of %d operations did something for real",
		sum.changed, sum.tried, ways["dry run"], ways["dry run refused"], ways[batchRan], ways[batchRefused], ways[batchMissed], ways["failing commit"], ways["refused candidate"], sum.control, sum.prepared)
	bar.Report(t, "trust", 1, figure, "0, none that should have run, control all",
		sum.changed == 0 && ways[batchMissed] == 0 && sum.control == sum.prepared && sum.prepared == sum.operations)
}

// picky is a daemon that depends on every table of the configuration and refuses whatever is
// about to be stored, when told to.
func picky(t *testing.T, refuse *atomic.Bool) daemon.Daemon {
	t.Helper()
	return daemon.Daemon{Config: daemon.Config{
		Name: "picky", Reads: configurationTables(t),
		Source: daemon.Steps[int]{
			Load:   func(context.Context, db.DB, daemon.Unseal) (int, error) { return 0, nil },
			Render: func(int) (daemon.Rendering, error) { return daemon.Rendering{}, nil },
			Guard: func(context.Context, func() (int, error), int) error {
				if refuse.Load() {
					return fault.New(fault.Invalid, "the candidate is refused")
				}
				return nil
			},
		},
	}}
}

func configurationTables(t *testing.T) []string {
	t.Helper()
	plan, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, table := range db.Tables(plan.Schemas()) {
		if table.Configuration() {
			names = append(names, table.Name)
		}
	}
	return names
}

// failCommits prepares a trigger that lets every commit with an audit entry fail; it is off at first.
func (s *stage) failCommits() {
	s.t.Helper()
	s.exec(`create function fail_commit() returns trigger language plpgsql as $$ begin raise 'this commit fails'; end $$;
		create constraint trigger fail_commit after insert on audit_entries deferrable initially deferred for each row execute function fail_commit();
		alter table audit_entries disable trigger fail_commit`)
}

func (s *stage) exec(sql string) {
	s.t.Helper()
	if _, err := s.Pool.Exec(context.Background(), sql); err != nil {
		s.t.Fatal(err)
	}
}

// leavesNothing sends one request in every way that stores nothing, then for real.
func (s *stage) leavesNothing(op operation, refuse *atomic.Bool, ways map[string]int) tally {
	s.t.Helper()
	p, known := s.prepare(op)
	w, body := newWire(s.t, s.App), p.text(s.t)
	tickets, forBatch := s.tickets(w, op, p.as, p.path)
	send := func(h http.Header) int {
		merged := p.as.Clone()
		maps.Copy(merged, h)
		maps.Copy(merged, tickets())
		return w.do(call{method: op.method, target: api.Prefix + p.path, header: merged, body: body}).status
	}
	out := tally{operations: 1}
	before := s.digest()
	check := func(way string, status int) {
		if way == batchMissed {
			s.t.Logf("%s, %s = %d", way, op, status)
		}
		out.tried++
		ways[way]++
		if s.digest() != before {
			out.changed++
			s.t.Logf("%s, %s (%d): something is another", op, way, status)
			before = s.digest()
		}
	}
	dry := send(http.Header{"Gateway-Dry-Run": {"true"}})
	if dry < 300 {
		check("dry run", dry)
	} else {
		check("dry run refused", dry)
	}
	batched := p.as.Clone()
	maps.Copy(batched, forBatch())
	batch := w.do(call{method: http.MethodPost, target: api.Prefix + "/batch", header: batched, body: batchThatFails(s.t, op, p)})
	check(howItFailed(op, batch, dry < 300), batch.status)
	s.exec(`alter table audit_entries enable trigger fail_commit`)
	check("failing commit", send(nil))
	s.exec(`alter table audit_entries disable trigger fail_commit`)
	refuse.Store(true)
	status := send(nil)
	refuse.Store(false)
	if status == http.StatusBadRequest { // where there is a candidate
		check("refused candidate", status)
	}
	if !known {
		s.t.Logf("%s has no control: it is not in the list of requests that succeed", op)
		return out
	}
	out.prepared++
	if status >= 300 || s.digest() == before {
		status = send(nil)
	}
	if s.digest() != before {
		out.control++
	} else {
		s.t.Logf("%s for real = %d and changed nothing", op, status)
	}
	return out
}

// batchThatFails is the operation, and then one that cannot succeed.
func batchThatFails(t *testing.T, op operation, p prepared) string {
	t.Helper()
	first := fields{"method": op.method, "path": p.path}
	if p.body != nil {
		first["body"] = p.body
	}
	last := fields{"method": http.MethodDelete, "path": "/ntp/pools/00000000-0000-7000-8000-0000000000ff"}
	data, err := json.Marshal(fields{"operations": []fields{first, last}})
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// How a batch fails: after it ran its first operation, because it cannot have that one, or for another reason.
const batchRan, batchRefused, batchMissed = "failing batch", "batch that cannot have it", "batch that should have run it"

// notInBatches are the operations that only store configuration and yet are not taken by a batch, with its code.
var notInBatches = map[string]string{
	"POST /batch": "nested_batch", "POST /tunnel/import": "nested_batch", // which is one too
	"PATCH /firewall/rules/{id}": "invalid", "PATCH /nat-rules/{id}": "invalid", // there is a PUT
}

// howItFailed tells it by the answer: a batch that ran its first operation names the second one. Whatever has a dry run
// has to be run.
func howItFailed(op operation, g got, dry bool) string {
	var answer struct {
		Error struct {
			Code   string
			Fields []struct{ Field string }
		}
	}
	if json.Unmarshal(g.body, &answer) != nil || len(answer.Error.Fields) == 0 {
		return batchMissed
	}
	e, excepted := answer.Error, notInBatches[op.String()]
	switch {
	case dry && excepted == "" && g.status == http.StatusNotFound && e.Fields[0].Field == "operations[1]":
		return batchRan
	case dry && e.Code == excepted, !dry && e.Code == "not_batchable":
		return batchRefused
	}
	return batchMissed
}
