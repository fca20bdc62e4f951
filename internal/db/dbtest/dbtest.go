// Package dbtest gives each test a fresh, migrated database on a real PostgreSQL.
// It is imported by tests only.
package dbtest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"gateway/internal/db"
	"gateway/internal/db/migrate"
	"gateway/lab"
)

// Env names the server to use; without it one is started from the lab's root.
const Env = "GATEWAY_TEST_DATABASE"

// running is a server; as long as stop is held somewhere, it stays up.
type running struct {
	dsn  string
	stop func()
}

// server is started at most once per test process and dies with it.
var server = sync.OnceValues(func() (running, error) {
	if dsn := os.Getenv(Env); dsn != "" {
		return running{dsn: dsn}, nil
	}
	dsn, stop, err := lab.Postgres(context.Background())
	return running{dsn, stop}, err
})

// DSN makes a fresh database with the given schemas and returns its address.
func DSN(t testing.TB, schemas ...db.Schema) string {
	t.Helper()
	up, err := server()
	if err != nil {
		t.Skipf("no PostgreSQL for tests: %v", err)
	}
	base := up.dsn
	ctx := context.Background()
	template, err := template(ctx, base, schemas)
	if err != nil {
		t.Fatalf("make template database: %v", err)
	}
	name := "gt_" + strings.ReplaceAll(db.NewID(), "-", "")
	// Copied file by file, and not block by block through the log, in a quarter of the time.
	if err := admin(ctx, base, "create database "+name+" template "+template+" strategy file_copy"); err != nil {
		t.Fatalf("make test database: %v", err)
	}
	t.Cleanup(func() {
		if err := admin(ctx, base, "drop database if exists "+name+" with (force)"); err != nil {
			t.Errorf("drop test database: %v", err)
		}
	})
	return withDatabase(base, name)
}

// New is DSN with a pool on it.
func New(t testing.TB, schemas ...db.Schema) *pgxpool.Pool {
	t.Helper()
	pool, err := db.Open(patient(DSN(t, schemas...)))
	if err != nil {
		t.Fatalf("open test database: %v", err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// template returns the name of a migrated database to copy, made once per set of
// migrations and kept for other test processes on the same server.
func template(ctx context.Context, base string, schemas []db.Schema) (string, error) {
	name, err := fingerprint(schemas)
	if err != nil {
		return "", err
	}
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return "", err
	}
	defer conn.Close(ctx)
	// Other processes want the same template at the same moment; one of them makes it.
	if _, err := conn.Exec(ctx, "select pg_advisory_lock(7291)"); err != nil {
		return "", err
	}
	defer conn.Exec(ctx, "select pg_advisory_unlock(7291)") //nolint:errcheck // closing the connection unlocks too
	if err := makeRoles(ctx, conn); err != nil {
		return "", err
	}
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&exists); err != nil || exists {
		return name, err
	}
	return name, build(ctx, conn, base, name, schemas)
}

func build(ctx context.Context, conn *pgx.Conn, base, name string, schemas []db.Schema) error {
	half := name + "_half"
	for _, q := range []string{"drop database if exists " + half + " with (force)", "create database " + half} {
		if _, err := conn.Exec(ctx, q); err != nil {
			return err
		}
	}
	pool, err := db.Open(patient(withDatabase(base, half)))
	if err != nil {
		return err
	}
	err = migrate.Run(ctx, pool, schemas)
	pool.Close()
	if err != nil {
		return err
	}
	// A test process killed half-way must not leave a template that looks finished.
	_, err = conn.Exec(ctx, "alter database "+half+" rename to "+name)
	return err
}

// makeRoles makes those that packaging makes on a node.
func makeRoles(ctx context.Context, conn *pgx.Conn) error {
	for role, login := range map[string]string{db.OwnerRole: "nologin", db.APIRole: "login", db.ApplyRole: "login"} {
		var there bool
		if err := conn.QueryRow(ctx, "select exists (select from pg_roles where rolname = $1)", role).Scan(&there); err != nil {
			return err
		}
		if there {
			continue
		}
		if _, err := conn.Exec(ctx, "create role "+role+" "+login); err != nil {
			return err
		}
	}
	return nil
}

// As is the address of the same database for one of the product's roles.
func As(t testing.TB, dsn, role string) string {
	t.Helper()
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		t.Fatalf("the address of the test database is not a URL: %s", dsn)
	}
	u.User = url.User(role)
	return u.String()
}

func fingerprint(schemas []db.Schema) (string, error) {
	h := sha256.New()
	for _, s := range schemas {
		tables, err := json.Marshal(s.Tables) // what rights point at too
		if err != nil {
			return "", err
		}
		h.Write(tables)
		if s.Migrations == nil {
			continue
		}
		names, err := fs.Glob(s.Migrations, "*.sql")
		if err != nil {
			return "", err
		}
		for _, n := range names {
			data, err := fs.ReadFile(s.Migrations, n)
			if err != nil {
				return "", err
			}
			fmt.Fprintf(h, "%s %d %s", n, len(data), data)
		}
	}
	return "gt_template_" + hex.EncodeToString(h.Sum(nil))[:16], nil
}

func admin(ctx context.Context, base, query string) error {
	conn, err := pgx.Connect(ctx, base)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, query)
	return err
}

// patient is an address for a machine that runs many tests at once: there a connection takes longer than the second after
// which the product says that its database is away.
func patient(dsn string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		return dsn + " connect_timeout=60"
	}
	q := u.Query()
	q.Set("connect_timeout", "60")
	u.RawQuery = q.Encode()
	return u.String()
}

// withDatabase names the database in an address of either spelling.
func withDatabase(dsn, name string) string {
	u, err := url.Parse(dsn)
	if err != nil || u.Scheme == "" {
		return dsn + " dbname=" + name
	}
	u.Path = "/" + name
	return u.String()
}
