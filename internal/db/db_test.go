package db_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/change"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/db/migrate"
	"gateway/internal/fault"
)

func migration(name, sql string) db.Schema {
	return db.Schema{Migrations: fstest.MapFS{name: {Data: []byte("-- +goose Up\n" + sql + "\n")}}}
}

func TestIDsAreUniqueOrderedAndValid(t *testing.T) {
	var ids []string
	for range 1000 {
		ids = append(ids, db.NewID())
	}
	for _, id := range ids {
		if !db.ValidID(id) || id[14] != '7' || !strings.ContainsRune("89ab", rune(id[19])) {
			t.Fatalf("%s is no UUIDv7", id)
		}
	}
	if later := func() string { <-time.After(2 * time.Millisecond); return db.NewID() }(); later < ids[0] {
		t.Errorf("%s sorts before the older %s", later, ids[0])
	}
	if !slices.IsSorted(ids) {
		t.Error("ids that were made one after the other do not sort that way")
	}
	if n := len(slices.Compact(ids)); n != 1000 {
		t.Errorf("%d different ids of 1000", n)
	}
	for _, bad := range []string{"", "x", strings.ToUpper(ids[0]), ids[0] + "0", "{" + ids[0][1:], strings.ReplaceAll(ids[0], "-", "0")} {
		if db.ValidID(bad) {
			t.Errorf("%q passes for an id", bad)
		}
	}
}

func TestTwoMigrationsOfOneNumberAreRefused(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	err := migrate.Run(t.Context(), pool, []db.Schema{
		migration("0800_a.sql", "create table a (id int primary key);"), migration("0800_b.sql", "create table b (id int primary key);"),
	})
	if err == nil || !strings.Contains(err.Error(), "0800_a.sql and 0800_b.sql") {
		t.Errorf("err = %v, want both named", err)
	}
}

func TestALowerNumberMayComeLater(t *testing.T) {
	late := migration("0903_late.sql", "create table late (id int);")
	pool := dbtest.New(t, late)
	both := []db.Schema{late, migration("0902_early.sql", "create table early (id int);")}
	if err := migrate.Run(t.Context(), pool, both); err != nil {
		t.Fatal(err)
	}
	if _, err := pool.Exec(t.Context(), `select early.id, late.id from early, late`); err != nil {
		t.Error(err)
	}
}

func TestTheSchemaIsReadyWhenNoMigrationLacks(t *testing.T) {
	late := migration("0903_late.sql", "create table late (id int);")
	dsn := dbtest.DSN(t, change.Schema(), late)
	pool, err := db.Open(dbtest.As(t, dsn, db.APIRole))
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := migrate.Ready(t.Context(), pool, []db.Schema{change.Schema(), late}); err != nil {
		t.Errorf("with all of them: %v", err)
	}
	err = migrate.Ready(t.Context(), pool, []db.Schema{change.Schema(), late, migration("0902_early.sql", "create table early (id int);")})
	if err == nil || !strings.Contains(err.Error(), "902") {
		t.Errorf("with one missing below the highest: %v, want its number", err)
	}
}

func TestTriggersFollowTheDeclaration(t *testing.T) {
	toys := migration("0800_toys.sql", "create table toys (id int primary key, secret text, other text);")
	toys.Tables = []db.Table{{Name: "toys", Scope: db.Replicated}}
	pool := dbtest.New(t, change.Schema(), toys)
	toys.Tables[0].Omit = []string{"secret", "other"} // an upgrade hides two columns
	for range 2 {
		if err := migrate.Run(t.Context(), pool, []db.Schema{change.Schema(), toys}); err != nil {
			t.Fatal(err)
		}
	}
	var def string
	if err := pool.QueryRow(t.Context(), `select pg_get_triggerdef(oid) from pg_trigger where tgname = 'gateway_row_image' and tgrelid = 'toys'::regclass`).Scan(&def); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(def, "gateway_row_image('secret', 'other')") {
		t.Errorf("trigger = %s", def)
	}
}

// Rows that are truncated fire no trigger of rows. Tables of an older version get theirs, too.
func TestATruncateIsTold(t *testing.T) {
	toys := migration("0800_toys.sql", "create table toys (id int primary key);")
	toys.Tables = []db.Table{{Name: "toys", Scope: db.Replicated}}
	pool := dbtest.New(t, change.Schema(), toys)
	if _, err := pool.Exec(t.Context(), `drop trigger if exists gateway_rows_truncated on toys`); err != nil {
		t.Fatal(err)
	}
	if err := migrate.Run(t.Context(), pool, []db.Schema{change.Schema(), toys}); err != nil {
		t.Fatal(err)
	}
	conn, err := pool.Acquire(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Release()
	if _, err := conn.Exec(t.Context(), `listen `+change.RowsChannel); err != nil {
		t.Fatal(err)
	}
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `set local session_replication_role = replica; truncate toys`) // as replication does it
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	if n, err := conn.Conn().WaitForNotification(ctx); err != nil || n.Payload != "toys" {
		t.Errorf("heard %v, %v; want the table", n, err)
	}
}

func TestUnavailableTellsAwayFromWrong(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want bool
	}{
		{"shutting down", &pgconn.PgError{Code: "57P01"}, true},
		{"starting up", &pgconn.PgError{Code: "57P03"}, true},
		{"too many connections", &pgconn.PgError{Code: "53300"}, true},
		{"connection lost", fmt.Errorf("read: %w", io.ErrUnexpectedEOF), true},
		{"a syntax error", &pgconn.PgError{Code: "42601"}, false},
		{"a unique violation", &pgconn.PgError{Code: "23505"}, false},
		{"the caller's deadline", fmt.Errorf("query: %w", context.DeadlineExceeded), false},
		{"no row", pgx.ErrNoRows, false},
		{"something else", errors.New("x"), false},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if got := db.Unavailable(tc.err); got != tc.want {
				t.Errorf("Unavailable = %t, want %t", got, tc.want)
			}
		})
	}
}

func TestConstraintsBecomeFaults(t *testing.T) {
	pool := dbtest.New(t, change.Schema(), migration("0800_x.sql", `
		create table pools (id int primary key, name text constraint pools_name unique, size int check (size > 0));
		create table rules (id int primary key, pool int references pools (id));
		insert into pools values (1, 'a', 1); insert into rules values (1, 1);`))
	tests := []struct {
		name, query string
		kind        fault.Kind
		says        string
	}{
		{"a taken name", `insert into pools values (2, 'a', 1)`, fault.Conflict, "another pool already has this name"},
		{"a row in use", `delete from pools where id = 1`, fault.Conflict, "still used by rules"},
		{"a missing row", `insert into rules values (2, 9)`, fault.Invalid, "refers to something"},
		{"a refused value", `insert into pools values (3, 'c', 0)`, fault.Invalid, "is out of range"},
		{"too large a number", `insert into pools values (4, 'd', 99999999999)`, fault.Invalid, "is out of range"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			_, err := pool.Exec(t.Context(), tc.query)
			err = db.Fault(err, "pool", map[string]string{"pools_name": "name"})
			if !fault.Is(err, tc.kind) || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("err = %v, want %s: %s", err, tc.kind, tc.says)
			}
		})
	}
}

func TestTheWatchMigratesBeforeTheDatabaseCountsAsUp(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	failures := 1
	migrated := false
	w := db.NewWatch(pool, func(context.Context) error {
		if failures--; failures >= 0 {
			return errors.New("not yet")
		}
		migrated = true
		return nil
	}, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	go func() { _ = w.Run(ctx) }()
	for !w.Up() {
		if ctx.Err() != nil {
			t.Fatal("never up")
		}
		<-time.After(10 * time.Millisecond)
	}
	if !migrated {
		t.Error("up before it was migrated")
	}
}

func TestABusyPoolIsNotADatabaseThatIsAway(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	w := db.NewWatch(pool, func(context.Context) error { return nil }, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx) }()
	defer func() { cancel(); <-done }()
	for range pool.Config().MaxConns {
		c, err := pool.Acquire(ctx)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Release()
	}
	for !w.Up() && ctx.Err() == nil {
		<-time.After(10 * time.Millisecond)
	}
	<-time.After(2 * time.Second) // longer than a probe waits
	if !w.Up() {
		t.Error("the database counts as away while others have all connections")
	}
}

// slowConn is one on which answers come only while it is not held up.
type slowConn struct {
	net.Conn
	held *atomic.Bool
	end  atomic.Int64 // of the patience of who reads
}

func (c *slowConn) SetDeadline(t time.Time) error {
	c.end.Store(0)
	if !t.IsZero() {
		c.end.Store(t.UnixNano())
	}
	return c.Conn.SetDeadline(t)
}

func (c *slowConn) Read(b []byte) (int, error) {
	for c.held.Load() {
		if end := c.end.Load(); end != 0 && time.Now().UnixNano() > end {
			return 0, os.ErrDeadlineExceeded
		}
		<-time.After(10 * time.Millisecond)
	}
	return c.Conn.Read(b)
}

// A machine with too much to do answers a probe late. As long as it answers others, nobody is to be refused.
func TestALateProbeIsNotADatabaseThatIsAway(t *testing.T) {
	var held atomic.Bool
	var dialled atomic.Int64
	cfg := dbtest.New(t, change.Schema()).Config()
	dial := cfg.ConnConfig.DialFunc
	cfg.ConnConfig.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := dial(ctx, network, address)
		if dialled.Add(1) == 1 || err != nil { // the one of the others
			return c, err
		}
		return &slowConn{Conn: c, held: &held}, nil
	}
	cfg.MaxConns = 1
	pool, err := pgxpool.NewWithConfig(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := db.NewWatch(pool, func(context.Context) error { return nil }, slog.New(slog.DiscardHandler))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	done := make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx) }()
	defer func() { held.Store(false); cancel(); <-done }()
	for !w.Up() && ctx.Err() == nil {
		<-time.After(10 * time.Millisecond)
	}
	held.Store(true)
	for end := time.Now().Add(3 * time.Second); time.Now().Before(end); <-time.After(20 * time.Millisecond) {
		if _, err := pool.Exec(ctx, `select 1`); err != nil {
			t.Fatal(err)
		}
		if !w.Up() {
			t.Fatal("the database counts as away while it answers")
		}
	}
	for end := time.Now().Add(3 * time.Second); w.Up(); <-time.After(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the control: a database that answers nobody counts as up")
		}
	}
}

// A query to a server that hangs is given up when the server is found to be away.
func TestWhatWasAskedEndsWhenTheDatabaseIsAway(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	var away atomic.Bool
	ctx, stop := db.WhileUp(t.Context(), func() bool { return !away.Load() })
	defer stop()
	time.AfterFunc(200*time.Millisecond, func() { away.Store(true) })
	began := time.Now()
	_, err := pool.Exec(ctx, `select pg_sleep(20)`)
	if took := time.Since(began); err == nil || took > 10*time.Second || !fault.Is(context.Cause(ctx), fault.Unavailable) {
		t.Errorf("%v after %v, for %v", err, took, context.Cause(ctx))
	}
	ctx, stop = db.WhileUp(t.Context(), func() bool { return true })
	stop()
	if fault.Is(context.Cause(ctx), fault.Unavailable) {
		t.Error("one that was over is taken for one that was lost")
	}
}

func TestTheListenerComesBackAndSaysThatItMissedSomething(t *testing.T) {
	pool := dbtest.New(t, change.Schema())
	heard := make(chan string, 10)
	l := &db.Listener{
		Pool: pool, Ready: func() bool { return true }, Log: slog.New(slog.DiscardHandler),
		Handlers: map[string]func(context.Context, string){"news": func(_ context.Context, payload string) { heard <- payload }},
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); _ = l.Run(ctx) }()
	defer func() { cancel(); <-done }()
	want := func(payload string) {
		t.Helper()
		select {
		case got := <-heard:
			if got != payload {
				t.Fatalf("heard %q, want %q", got, payload)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("never heard %q", payload)
		}
	}
	exec := func(q string) {
		t.Helper()
		if _, err := pool.Exec(t.Context(), q); err != nil {
			t.Fatal(err)
		}
	}
	want("")
	exec(`notify news, 'one'`)
	want("one")
	exec(`select pg_terminate_backend(pid) from pg_stat_activity where query like 'listen%' and datname = current_database() and pid <> pg_backend_pid()`)
	want("")
	exec(`notify news, 'two'`)
	want("two")
}
