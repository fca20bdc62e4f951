package change_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"gateway/internal/change"
)

// PostgreSQL goes on with a commit that it is about to write when whoever asked gives up. Asked what became of it, the
// rows are not seen yet, and nobody may be told that the change is not stored.
func TestACommitThatTakesLongerThanItsCallerIsToldAsStored(t *testing.T) {
	pool, run, ctx := setup(t)
	for _, q := range []string{
		// As long as it writes, it hears of nobody who breaks off.
		`create function slowly() returns trigger language plpgsql as $$ begin
			begin perform pg_sleep(30); exception when query_canceled then perform pg_sleep(1); end;
			return null;
		end $$`,
		`create constraint trigger slowly after insert on pools deferrable initially deferred for each row execute function slowly()`,
	} {
		if _, err := pool.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	caller, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	told := false
	err := run.Run(caller, change.Change{Component: "ntp", Action: "ntp.pool.create", Subject: "slow"}, func(tx change.Tx) error {
		tx.AfterCommit(func(context.Context) error { told = true; return nil })
		return add("slow")(tx)
	})
	if !errors.Is(caller.Err(), context.DeadlineExceeded) {
		t.Fatal("the commit was quicker than its caller: nothing is shown")
	}
	var stored bool
	if err := pool.QueryRow(ctx, `select exists (select from pools where name = 'slow')`).Scan(&stored); err != nil {
		t.Fatal(err)
	}
	if !stored || err != nil || !told {
		t.Errorf("stored %t, told %v, its effects came %t; want it stored and told so", stored, err, told)
	}
}
