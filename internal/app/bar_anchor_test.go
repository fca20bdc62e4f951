package app_test

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/app"
	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/tools/bar"
)

// forgeries are what somebody does to the log who owns its tables, or the whole server.
var forgeries = []struct{ name, says, query string }{
	{"cut, head set back", "the end was truncated", `delete from audit_entries where seq > 4;
		update audit_heads set seq = 4, hash = (select hash from audit_entries where seq = 4)`},
	{"cut, head left", "removed from the end", `delete from audit_entries where seq > 4`},
	{"an entry in the middle removed", "missing", `delete from audit_entries where seq = 3`},
	{"an entry altered", "altered", `update audit_entries set actor = 'bob' where seq = 3`},
	{"all of it removed", "the end was truncated", `delete from audit_entries; update audit_heads set seq = 0, hash = ''`},
	{"the chain itself removed", "no chain", `delete from audit_heads`},
	{"pruned as a whole, as if it were old", "truncated", `delete from audit_entries; update audit_heads set base_seq = 2, base_hash = '', seq = 2, hash = ''`},
	{"pruned beyond what was anchored", "never anchored", `delete from audit_entries; update audit_heads set base_seq = 7, base_hash = '', seq = 7, hash = ''`},
	{"pruned though it is young", "none of the last day", `update audit_heads set base_seq = 5, base_hash = (select hash from audit_entries where seq = 5);
		delete from audit_entries where seq <= 5`},
	{"an entry of an unknown node", "no chain", `insert into audit_entries (id, node_id, seq, created_at, actor, action, subject, hash)
		values ('00000000-0000-7000-8000-00000000000f', 'elsewhere', 1, now(), 'bob', 'user.delete', 'framed', '')`},
	{"an unknown node with a chain", "to another node", `insert into audit_heads (node_id, seq, hash) values ('elsewhere', 0, '')`},
}

// Whoever rewrites the log, its owner or the server's superuser, is found by what gateway-apply
// wrote down outside of the database.
func TestBarTrust05TheAuditLogAndItsAnchor(t *testing.T) {
	blueprint, err := app.Blueprint()
	if err != nil {
		t.Fatal(err)
	}
	found, tries, without := 0, 0, 0
	for _, owner := range []string{"", "set role log_owner; "} {
		for _, f := range forgeries {
			tries++
			pool, anchors := anchoredLog(t, blueprint.Schemas())
			tamper(t, pool, owner+"alter table audit_entries disable trigger all; "+f.query)
			r, err := audit.Compare(t.Context(), pool, "node-1", anchors)
			if err != nil || len(r.Breaks) == 0 || !strings.Contains(fmt.Sprint(r.Breaks), f.says) {
				t.Errorf("%s%s: found %v (%v), want %q", owner, f.name, r.Breaks, err, f.says)
				continue
			}
			found++
		}
		tries++
		pool, anchors := anchoredLog(t, blueprint.Schemas())
		tamper(t, pool, owner+"alter table audit_entries disable trigger all; delete from audit_entries; update audit_heads set seq = 0, hash = ''")
		if owner == "" {
			tamper(t, pool, "alter table audit_entries enable trigger all")
		} else {
			tamper(t, pool, owner+"alter table audit_entries enable trigger all")
		}
		fillLog(t, pool, "mallory", 8) // a whole chain, well formed and longer
		if _, breaks, err := audit.Verify(t.Context(), pool); err == nil && len(breaks) == 0 {
			without++ // the control: the chain alone says nothing
		}
		r, err := audit.Compare(t.Context(), pool, "node-1", anchors)
		if err == nil && strings.Contains(fmt.Sprint(r.Breaks), "rewritten") {
			found++
		} else {
			t.Errorf("%sa log written anew: found %v (%v)", owner, r.Breaks, err)
		}
	}
	untouched(t, blueprint.Schemas())
	figure := fmt.Sprintf("%d of %d forgeries found, as owner and as superuser; without the anchor %d rewritten logs pass", found, tries, without)
	bar.Report(t, "trust", 5, figure, "all found, control > 0", found == tries && without > 0)
}

// untouched is the other control: a log that nobody touched is whole, and what came since the
// last anchor is told apart.
func untouched(t *testing.T, schemas []db.Schema) {
	t.Helper()
	pool, anchors := anchoredLog(t, schemas)
	fillLog(t, pool, "eve", 2)
	r, err := audit.Compare(t.Context(), pool, "node-1", anchors)
	if err != nil || len(r.Breaks) > 0 || r.Anchors == 0 || r.Unproven != 2 {
		t.Errorf("an untouched log: %+v (%v), want 2 entries that are not anchored yet", r, err)
	}
}

func fillLog(t *testing.T, pool *pgxpool.Pool, actor string, n int) {
	t.Helper()
	log := audit.NewLog("node-1", time.Now)
	for i := range n {
		if err := log.Record(context.Background(), pool, audit.Entry{Actor: actor, Action: "user.create", Subject: fmt.Sprint(i)}); err != nil {
			t.Fatal(err)
		}
	}
}

// anchoredLog has six entries, and was seen after three and after six.
func anchoredLog(t *testing.T, schemas []db.Schema) (*pgxpool.Pool, []audit.Anchored) {
	t.Helper()
	pool := dbtest.New(t, schemas...)
	tamper(t, pool, `do $$ begin if not exists (select from pg_roles where rolname = 'log_owner') then create role log_owner; end if; end $$;
		alter table audit_entries owner to log_owner; alter table audit_heads owner to log_owner; grant usage on schema public to log_owner`)
	a := &audit.Anchor{Path: filepath.Join(t.TempDir(), audit.AnchorFile), Node: "node-1", Log: slog.New(slog.DiscardHandler)}
	for range 2 {
		fillLog(t, pool, "eve", 3)
		if err := a.Keep(t.Context(), pool); err != nil {
			t.Fatal(err)
		}
	}
	anchors, err := audit.ReadAnchors(a.Path)
	if err != nil || len(anchors) != 2 {
		t.Fatalf("%d anchors (%v), want 2", len(anchors), err)
	}
	return pool, anchors
}

func tamper(t *testing.T, pool *pgxpool.Pool, query string) {
	t.Helper()
	if strings.HasPrefix(query, "set role") { // the owner of a table may not switch off the triggers that keep references
		query = strings.ReplaceAll(query, "trigger all", "trigger user") + "; reset role"
	}
	if _, err := pool.Exec(context.Background(), query, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(query, err)
	}
}
