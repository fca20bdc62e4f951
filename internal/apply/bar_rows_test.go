package apply

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/lab"
	"gateway/tools/bar"
)

// replicated is a rig whose lamps come from another PostgreSQL.
type replicated struct {
	*rig
	from *pgx.Conn
	made int
}

func newReplicated(t *testing.T) *replicated {
	r := &replicated{rig: newRig(t)}
	dsn, stop, err := lab.Postgres(t.Context())
	if err != nil {
		t.Skipf("no second PostgreSQL: %v", err)
	}
	t.Cleanup(stop)
	if r.from, err = pgx.Connect(t.Context(), dsn); err != nil {
		t.Fatal(err)
	}
	for _, q := range []string{
		`create table lamps (id uuid primary key, word text not null unique, revision int not null default 1, updated_at timestamptz)`,
		`create publication lamps for table lamps`,
	} {
		if _, err := r.from.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	// The name of a subscription is that of a slot on the other side.
	if _, err := r.pool.Exec(t.Context(), fmt.Sprintf(`create subscription lamps connection '%s' publication lamps with (copy_data = false)`, dsn)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := r.pool.Exec(context.Background(), `drop subscription lamps`); err != nil {
			t.Error(err)
		}
	})
	listener := &db.Listener{Pool: r.pool, Ready: r.up.Load, Log: slog.New(slog.DiscardHandler), Handlers: map[string]func(context.Context, string){
		change.RowsChannel: func(_ context.Context, table string) { r.engine.NotifyTable(table) },
	}}
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	go func() { _ = listener.Run(ctx) }()
	return r
}

// write stores a row on the other side and reports whether the daemon runs on it in time.
func (r *replicated) write(within time.Duration) (took time.Duration, live bool) {
	r.t.Helper()
	r.made++
	word := fmt.Sprintf("from-afar-%d-", r.made)
	began := time.Now()
	if _, err := r.from.Exec(r.ctx, `insert into lamps (id, word) values ($1, $2)`, db.NewID(), word); err != nil {
		r.t.Fatal(err)
	}
	for !strings.Contains(r.daemon.runs(), word) {
		if time.Since(began) > within {
			return 0, false
		}
		<-time.After(5 * time.Millisecond)
	}
	return time.Since(began), true
}

// A truncate runs no trigger of rows, here or there.
func TestATruncateThatIsReplicatedIsApplied(t *testing.T) {
	bar.NotShort(t)
	r := newReplicated(t)
	if _, live := r.write(time.Minute); !live {
		t.Fatal("the first row did not arrive")
	}
	if _, err := r.from.Exec(r.ctx, `truncate lamps`); err != nil {
		t.Fatal(err)
	}
	r.runs("")
}

// Rows that come past the API, here from another PostgreSQL, are applied; without the trigger nobody hears of them.
func TestBarCarry04RowsPastTheAPI(t *testing.T) {
	bar.NotShort(t)
	r := newReplicated(t)
	if _, live := r.write(time.Minute); !live {
		t.Fatal("the first row did not arrive")
	}
	n, live, slowest := bar.GateSize(20, 100, 1000), 0, time.Duration(0)
	for range n {
		took, ok := r.write(20 * time.Second)
		if !ok {
			continue
		}
		if slowest = max(slowest, took); took <= 2*time.Second {
			live++
		}
	}
	if _, err := r.pool.Exec(t.Context(), `alter table lamps disable trigger gateway_rows_changed`); err != nil {
		t.Fatal(err)
	}
	unheard, tried := 0, 3
	for range tried {
		if _, ok := r.write(3 * time.Second); !ok {
			unheard++
		}
	}
	figure := fmt.Sprintf("%d of %d rows of a component made for this live within 2 s, slowest %d ms; control without the trigger: %d of %d unheard", live, n, slowest.Milliseconds(), unheard, tried)
	bar.ReportTimed(t, "carry", 4, figure, "all, control all", unheard == tried && slowest > 0, live == n)
}
