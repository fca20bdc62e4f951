package restore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/backup"
	"gateway/internal/backup/archive"
	"gateway/internal/backup/dump"
	"gateway/internal/db"
	"gateway/internal/db/dbtest"
	"gateway/internal/restore"
)

const archived = "0198c0de-0000-7000-8000-000000000001"

func header() archive.Header {
	return archive.Header{About: archive.About{ID: archived, Product: "0.1.0", Host: "gw1", NodeID: node, Kind: "manual", Created: time.Now(), Schema: []int64{1}}}
}

// file is an archive as a helper is handed it.
func file(t *testing.T, data []byte) *os.File {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	return f
}

// act does one step, and returns in which words it was refused.
func act(t *testing.T, w restore.Worker, op string, request map[string]any) string {
	t.Helper()
	in, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := w.Act(t.Context(), op, bytes.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	var reply struct{ Error *struct{ Message string } }
	if err := json.Unmarshal(out.Bytes(), &reply); err != nil {
		t.Fatal(err)
	}
	if reply.Error == nil {
		return ""
	}
	return reply.Error.Message
}

// newKeys are those of a node, below its folder.
func newKeys(t *testing.T, dir string) *backup.Keys {
	t.Helper()
	keys, err := backup.OpenKeys(filepath.Join(dir, backup.KeyFile))
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// loading is a helper with an archive, the key of that, and how much text it has.
func loading(t *testing.T) (w restore.Worker, secret []byte, text uint64) {
	t.Helper()
	dsn := dbtest.DSN(t, audit.Schema())
	u, err := url.Parse(dsn)
	if err != nil {
		t.Fatal(err)
	}
	pool, err := db.Open(dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	log := audit.NewLog(node, time.Now)
	err = pgx.BeginFunc(t.Context(), pool, func(tx pgx.Tx) error {
		return log.Append(t.Context(), tx, audit.Entry{Actor: "local", Action: "test", Subject: "test"})
	})
	if err != nil {
		t.Fatal(err)
	}
	keys := newKeys(t, t.TempDir())
	var data bytes.Buffer
	written, err := dump.Write(t.Context(), pool, &data, dump.Backup{Header: header(), Keys: keys.Sealing(), Schemas: []db.Schema{audit.Schema()}})
	if err != nil {
		t.Fatal(err)
	}
	opening, err := keys.Opening()
	if err != nil {
		t.Fatal(err)
	}
	secret, err = opening.Reveal()
	if err != nil {
		t.Fatal(err)
	}
	address := func(name string) string { v := *u; v.Path = "/" + name; return v.String() }
	if written.DBBytes == 0 {
		t.Fatal("the archive has no rows")
	}
	return restore.Worker{
		Cluster: restore.Cluster{Address: address, Prefix: strings.TrimPrefix(u.Path, "/") + "_", Node: node, Now: time.Now},
		Schemas: []db.Schema{audit.Schema()}, Archive: file(t, data.Bytes()),
	}, secret, uint64(written.DBBytes)
}

func exists(t *testing.T, c restore.Cluster, name string) (there bool) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), c.Address("postgres"))
	if err == nil {
		defer conn.Close(context.WithoutCancel(t.Context()))
		err = conn.QueryRow(t.Context(), `select exists (select from pg_database where datname = $1)`, c.Prefix+name).Scan(&there)
	}
	if err != nil {
		t.Fatal(err)
	}
	return there
}

// A disk that an archive would fill is the one of the live database.
func TestAnArchiveThatCouldFillTheDiskIsNotLoaded(t *testing.T) {
	w, secret, text := loading(t)
	needed := text/2*5 + 256<<20
	for free, refused := range map[uint64]bool{needed - 1: true, needed: false} {
		w.Disk = func(dir string) (restore.Disk, error) {
			if !filepath.IsAbs(dir) {
				t.Errorf("asked for %q", dir)
			}
			return restore.Disk{ID: 1, Free: free}, nil
		}
		said := act(t, w, "load", map[string]any{"name": restore.Verified, "opening": secret})
		if refused != strings.Contains(said, "MB free") || !refused && said != "" {
			t.Errorf("%d free of %d: %q", free, needed, said)
		}
		if there := exists(t, w.Cluster, restore.Verified); there == refused {
			t.Errorf("%d free of %d: a database is there: %t", free, needed, there)
		}
		if said := act(t, w, "drop", map[string]any{"name": restore.Verified}); said != "" {
			t.Error(said)
		}
	}
}

// The log of the database may be on a disk of its own, which is full while the other is not.
func TestEachDiskNeedsItsRoom(t *testing.T) {
	w, secret, text := loading(t)
	for name, tc := range map[string]struct {
		rows, log restore.Disk
		refused   bool
	}{
		"both on one":            {restore.Disk{ID: 1, Free: text/2*5 + 256<<20}, restore.Disk{ID: 1, Free: text/2*5 + 256<<20}, false},
		"the log on its own":     {restore.Disk{ID: 1, Free: text/2*5 + 256<<20}, restore.Disk{ID: 2, Free: text + 256<<20}, false},
		"a log without room":     {restore.Disk{ID: 1, Free: text/2*5 + 256<<20}, restore.Disk{ID: 2, Free: text + 256<<20 - 1}, true},
		"rows without room":      {restore.Disk{ID: 1, Free: text/2*5 + 256<<20 - 1}, restore.Disk{ID: 2, Free: 1 << 40}, true},
		"one disk without room":  {restore.Disk{ID: 1, Free: text + 256<<20}, restore.Disk{ID: 1, Free: text + 256<<20}, true},
		"a log with all of it":   {restore.Disk{ID: 1, Free: 1 << 40}, restore.Disk{ID: 2, Free: 1 << 40}, false},
		"nothing free on either": {restore.Disk{ID: 1}, restore.Disk{ID: 2}, true},
	} {
		w.Disk = func(dir string) (restore.Disk, error) {
			if filepath.Base(dir) == "pg_wal" {
				return tc.log, nil
			}
			return tc.rows, nil
		}
		said := act(t, w, "load", map[string]any{"name": restore.Verified, "opening": secret})
		if tc.refused != strings.Contains(said, "MB free") || !tc.refused && said != "" {
			t.Errorf("%s: %q", name, said)
		}
		if said := act(t, w, "drop", map[string]any{"name": restore.Verified}); said != "" {
			t.Error(said)
		}
	}
}
