package lab_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/lab"
)

func TestPostgresAnswersAndEnds(t *testing.T) {
	needRoot(t)
	began := time.Now()
	dsn, stop, err := lab.Postgres(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stop()
	t.Logf("PostgreSQL ready in %v", time.Since(began).Round(time.Millisecond))
	var version, level string
	conn, err := pgx.Connect(t.Context(), dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := conn.QueryRow(t.Context(), "select version(), current_setting('wal_level')").Scan(&version, &level); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(version, "PostgreSQL 17.") || level != "logical" {
		t.Errorf("version = %q, wal_level = %q, want PostgreSQL 17 and logical", version, level)
	}
	stop()
	if _, err := pgx.Connect(t.Context(), dsn); err == nil {
		t.Error("PostgreSQL still answers after stop")
	}
}
