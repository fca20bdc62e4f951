package audit_test

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/fault"
)

// away is a pool whose database does not answer.
type away struct{}

func (away) Begin(context.Context) (pgx.Tx, error) {
	return nil, &net.OpError{Op: "dial", Err: os.ErrNotExist}
}

func TestWithoutADatabaseEntriesWaitInABoundedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "queue")
	log := audit.NewLog("node-1", time.Now)
	entry := audit.Entry{Actor: "ann@example.com", Action: "system.service_restart", Subject: "dns"}
	if err := log.RecordLater(t.Context(), away{}, entry); err == nil {
		t.Error("an entry went nowhere and nobody was told")
	}
	log.QueueAt(path)
	kept := 0
	for range 10_000 {
		err := log.RecordLater(t.Context(), away{}, entry)
		if fault.Is(err, fault.Unavailable) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		kept++
	}
	data, err := os.ReadFile(path)
	if err != nil || strings.Count(string(data), "\n") != kept || len(data) > 32<<10 || kept < 50 {
		t.Errorf("%d bytes for %d entries (%v), want at most 32 KiB and one line each", len(data), kept, err)
	}
	if err := log.Drain(t.Context(), away{}); err == nil {
		t.Error("drained into a database that is away")
	}
	if after, _ := os.ReadFile(path); string(after) != string(data) {
		t.Error("entries were lost")
	}
}
