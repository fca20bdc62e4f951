package change_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/audit"
	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/identity"
	"gateway/internal/intent"
)

var pools = db.Schema{
	Tables: []db.Table{{Name: "pools", Scope: db.Replicated, Omit: []string{"secret"}}},
	Migrations: fs.FS(fstest.MapFS{"0900_pools.sql": {Data: []byte(
		"-- +goose Up\ncreate table pools (id uuid primary key, name text not null, secret text not null default '');\n")}}),
}

func setup(t *testing.T) (*pgxpool.Pool, *change.Runner, context.Context) {
	pool := dbtest.New(t, change.Schema(), audit.Schema(), pools)
	run := change.NewRunner(pool, audit.NewLog("node-1", time.Now), time.Now, nil, nil)
	return pool, run, identity.With(context.Background(), identity.Identity{Email: "ann@example.com"})
}

func add(name string) func(tx change.Tx) error {
	return func(tx change.Tx) error {
		_, err := tx.Exec(context.Background(), `insert into pools (id, name, secret) values ($1, $2, 'hush')`, db.NewID(), name)
		return err
	}
}

func TestAChangeStoresRowImageAuditAndNotification(t *testing.T) {
	pool, run, ctx := setup(t)
	heard := listen(t, pool)
	c := change.Change{Component: "ntp", Action: "ntp.pool.create", Subject: "pool-1", Detail: map[string]any{"kind": "pool"}}
	if err := run.Run(ctx, c, add("pool-1")); err != nil {
		t.Fatal(err)
	}
	if got := <-heard; got != "ntp" {
		t.Errorf("notified %q, want ntp", got)
	}
	entries, err := audit.Recent(ctx, pool, 10)
	if err != nil || len(entries) != 1 {
		t.Fatalf("entries = %v, %v; want one", entries, err)
	}
	if e := entries[0]; e.Actor != "ann@example.com" || e.Action != c.Action || e.Subject != "pool-1" || string(e.Detail) != `{"kind":"pool"}` {
		t.Errorf("entry = %+v", e)
	}
	var image string
	if err := pool.QueryRow(ctx, `select new_row::text from change_rows where change_id = $1`, entries[0].ChangeID).Scan(&image); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(image, "pool-1") || strings.Contains(image, "hush") {
		t.Errorf("image = %s, want the name and not the secret", image)
	}
}

func listen(t *testing.T, pool *pgxpool.Pool) <-chan string {
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	heard, ready := make(chan string, 10), make(chan struct{})
	conn, err := pool.Acquire(ctx)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		defer conn.Release()
		_, _ = conn.Exec(ctx, "listen "+change.Channel)
		close(ready)
		for {
			n, err := conn.Conn().WaitForNotification(ctx)
			if err != nil {
				return
			}
			heard <- n.Payload
		}
	}()
	<-ready
	return heard
}

func TestARefusedChangeLeavesNothing(t *testing.T) {
	pool, run, ctx := setup(t)
	refused := errors.New("refused")
	err := run.Run(ctx, change.Change{Component: "ntp", Action: "ntp.pool.create"}, func(tx change.Tx) error {
		if err := add("pool-1")(tx); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("err = %v, want the refusal", err)
	}
	for _, table := range []string{"pools", "changes", "change_rows", "audit_entries"} {
		var n int
		if err := pool.QueryRow(ctx, "select count(*) from "+table).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s has %d rows (%v), want none", table, n, err)
		}
	}
}

func TestAWriteBesideRunIsRefused(t *testing.T) {
	pool, _, ctx := setup(t)
	_, err := pool.Exec(ctx, `insert into pools (id, name) values ($1, 'x')`, db.NewID())
	if err == nil || !strings.Contains(err.Error(), "only through change.Run") {
		t.Errorf("err = %v, want a refusal", err)
	}
}

func TestParallelChangesKeepTheChainWhole(t *testing.T) {
	pool, run, ctx := setup(t)
	var wg sync.WaitGroup
	for i := range 40 {
		wg.Go(func() {
			c := change.Change{Component: fmt.Sprintf("c%d", i%4), Action: "x.y.create", Subject: fmt.Sprint(i)}
			if err := run.Run(ctx, c, add(fmt.Sprint(i))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	n, breaks, err := audit.Verify(ctx, pool)
	if n != 40 || len(breaks) != 0 || err != nil {
		t.Errorf("verify = %d entries, breaks %v, %v; want 40 and none", n, breaks, err)
	}
}

func TestNothingToChangeIsNotAudited(t *testing.T) {
	pool, run, ctx := setup(t)
	if err := run.Run(ctx, change.Change{Component: "ntp", Action: "ntp.pool.update"}, func(change.Tx) error { return change.Nothing() }); err != nil {
		t.Fatal(err)
	}
	if entries, err := audit.Recent(ctx, pool, 10); err != nil || len(entries) != 0 {
		t.Errorf("entries = %v, %v; want none", entries, err)
	}
}

func TestAChangeWithoutAnActorIsRefused(t *testing.T) {
	_, run, _ := setup(t)
	if err := run.Run(context.Background(), change.Change{Component: "ntp", Action: "a.b"}, add("x")); err == nil {
		t.Error("an anonymous change was stored")
	}
}

// What is outside of the transaction is touched only when the change is stored.
func TestEffectsWaitForTheCommit(t *testing.T) {
	pool, run, ctx := setup(t)
	ran := 0
	try := func(ctx context.Context, also func(change.Tx) error) error {
		return run.Run(ctx, change.Change{Component: "ntp", Action: "ntp.pool.create"}, func(tx change.Tx) error {
			tx.AfterCommit(func(context.Context) error { ran++; return nil })
			return also(tx)
		})
	}
	fine := add("pool-1")
	refused := errors.New("refused")
	if err := try(ctx, func(change.Tx) error { return refused }); !errors.Is(err, refused) {
		t.Errorf("a refused change: %v", err)
	}
	var plan *intent.Plan
	if err := try(intent.With(ctx, intent.Ask{DryRun: true}), fine); !errors.As(err, &plan) {
		t.Errorf("a dry run: %v", err)
	}
	err := run.Batch(ctx, "two", func(ctx context.Context) error {
		if err := try(ctx, fine); err != nil {
			return err
		}
		return refused
	})
	if !errors.Is(err, refused) {
		t.Errorf("a batch that breaks off: %v", err)
	}
	if _, err := pool.Exec(ctx, `create function fail() returns trigger language plpgsql as $$ begin raise 'no'; end $$;
		create constraint trigger fail after insert on changes deferrable initially deferred for each row execute function fail()`); err != nil {
		t.Fatal(err)
	}
	if err := try(ctx, fine); err == nil {
		t.Error("a commit that fails is answered as a success")
	}
	if ran != 0 {
		t.Errorf("%d effects of changes that were not stored", ran)
	}
	if _, err := pool.Exec(ctx, `drop trigger fail on changes`); err != nil {
		t.Fatal(err)
	}
	if err := try(ctx, fine); err != nil || ran != 1 {
		t.Errorf("stored with %v, %d effects, want one", err, ran)
	}
}
