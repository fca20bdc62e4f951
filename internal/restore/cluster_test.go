package restore_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/restore"
)

// The server goes on with an exchange whose process was killed: nobody may judge by the names before it has ended.
func TestNobodyJudgesWhileDatabasesAreExchanged(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	r.admin("create database %s template %s", r.cluster.Prefix+restore.Restored, r.cluster.Prefix+"archive")
	holder, err := pgx.Connect(ctx, r.cluster.Address("postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.WithoutCancel(ctx))
	// Its lock has the exchange wait in its midst.
	for _, q := range []string{"begin", "comment on database " + pgx.Identifier{r.cluster.Prefix + restore.Live}.Sanitize() + " is 'held'"} {
		if _, err := holder.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	swapped := make(chan error, 1)
	go func() { swapped <- r.cluster.Swap(ctx) }()
	for waits := false; !waits; <-time.After(10 * time.Millisecond) {
		r.with("archive", func(c *pgx.Conn) error {
			return c.QueryRow(ctx, `select exists (select from pg_stat_activity where wait_event_type = 'Lock' and starts_with(query, 'alter database "' || $1))`, r.cluster.Prefix).Scan(&waits)
		})
	}
	type judged struct {
		restore.Names
		err error
	}
	seen := make(chan judged, 1)
	go func() {
		n, err := r.cluster.Names(ctx)
		seen <- judged{n, err}
	}()
	select {
	case n := <-seen:
		t.Fatalf("judged while the exchange is under way: %+v", n)
	case <-time.After(300 * time.Millisecond):
	}
	if _, err := holder.Exec(ctx, "rollback"); err != nil {
		t.Fatal(err)
	}
	if err := <-swapped; err != nil {
		t.Fatal(err)
	}
	if n := <-seen; n.err != nil || !n.Before || n.Restored {
		t.Errorf("after the exchange: %+v", n)
	}
}

// The API's role may take the lock too. It keeps nobody from undoing a restore.
func TestNoOtherRoleHoldsARestoreUp(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	role := "gt_" + strings.ReplaceAll(db.NewID(), "-", "")
	r.admin("create role %s login", role)
	t.Cleanup(func() { r.admin("drop role %s", role) })
	holder, err := pgx.Connect(ctx, dbtest.As(t, r.cluster.Address("postgres"), role))
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close(context.WithoutCancel(ctx))
	if _, err := holder.Exec(ctx, "select pg_advisory_lock(hashtextextended('gateway/restore/' || $1, 0))", r.cluster.Prefix); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	if n, err := r.cluster.Names(ctx); err != nil || !n.Live || time.Since(began) > 20*time.Second {
		t.Errorf("%+v, %v after %v", n, err, time.Since(began))
	}
}
