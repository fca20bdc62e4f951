package change_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/change"
)

// underWay returns when the commit is.
func underWay(ctx context.Context, pool *pgxpool.Pool) error {
	look := time.NewTicker(10 * time.Millisecond)
	defer look.Stop()
	for range 1000 {
		var sleeps bool
		if err := pool.QueryRow(ctx, `select exists (select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep')`).Scan(&sleeps); err != nil || sleeps {
			return err
		}
		<-look.C
	}
	return errors.New("the commit never came")
}

// PostgreSQL goes on with a commit that it is about to write when whoever asked gives up. Asked what became of it, the
// rows are not seen yet, and nobody may be told that the change is not stored.
func TestACommitThatTakesLongerThanItsCallerIsToldAsStored(t *testing.T) {
	pool, run, ctx := setup(t)
	for _, q := range []string{
		// As long as it writes, it hears of nobody who breaks off, however often.
		`create function slowly() returns trigger language plpgsql as $$ begin
			begin perform pg_sleep(30); exception when query_canceled then
				begin perform pg_sleep(1); exception when query_canceled then null; end;
			end;
			return null;
		end $$`,
		`create constraint trigger slowly after insert on pools deferrable initially deferred for each row execute function slowly()`,
	} {
		if _, err := pool.Exec(ctx, q); err != nil {
			t.Fatal(err)
		}
	}
	for range 5 { // breaking off may still reach it outside of what it heeds nobody in
		caller, cancel := context.WithCancel(ctx)
		gaveUp := make(chan error, 1)
		go func() {
			defer cancel()
			gaveUp <- underWay(ctx, pool)
		}()
		told := false
		err := run.Run(caller, change.Change{Component: "ntp", Action: "ntp.pool.create", Subject: "slow"}, func(tx change.Tx) error {
			tx.AfterCommit(func(context.Context) error { told = true; return nil })
			return add("slow")(tx)
		})
		if err := <-gaveUp; err != nil {
			t.Fatal(err)
		}
		var stored bool
		if err := pool.QueryRow(ctx, `select exists (select from pools where name = 'slow')`).Scan(&stored); err != nil {
			t.Fatal(err)
		}
		switch {
		case stored && err == nil && told:
			return
		case stored || err == nil || told:
			t.Fatalf("stored %t, told %v, its effects came %t; want it stored and told so", stored, err, told)
		}
	}
	t.Error("no commit outlasted its caller")
}
