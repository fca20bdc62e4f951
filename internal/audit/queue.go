package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/secret/privatefile"
)

// maxQueued bounds the file: an outage is for a few acts, and an act that cannot be
// recorded is not done.
const maxQueued = 32 << 10

// QueueAt names the file that keeps entries while the database is away. It is called
// once, while the process is put together.
func (l *Log) QueueAt(path string) { l.queue = path }

// RecordLater is Record for what must also work without the database: the entry then
// waits in the file, on the disk before anything is done.
func (l *Log) RecordLater(ctx context.Context, pool beginner, e Entry) error {
	err := l.Record(ctx, pool, e)
	if err == nil || l.queue == "" || !db.Unavailable(err) {
		return err
	}
	return l.enqueue(e)
}

func (l *Log) enqueue(e Entry) error {
	unlock, err := privatefile.Lock(l.queue)
	if err != nil {
		return fmt.Errorf("queue audit entry: %w", err)
	}
	defer unlock()
	waiting, err := privatefile.Read(l.queue)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read queued audit entries: %w", err)
	}
	e.CreatedAt = l.now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("queue audit entry: %w", err)
	}
	if len(waiting)+len(line) >= maxQueued {
		return fault.New(fault.Unavailable, "too many audit entries are waiting for the database; no further action is possible without it").WithCode("audit_queue_full")
	}
	if err := privatefile.Replace(l.queue, append(append(waiting, line...), '\n'), 0o600); err != nil {
		return fmt.Errorf("queue audit entry: %w", err)
	}
	return nil
}

// Drain appends what waits in the file to the log, in its order. After a crash between
// the two an entry can be there twice, but never not at all.
func (l *Log) Drain(ctx context.Context, pool beginner) error {
	if _, err := os.Lstat(l.queue); l.queue == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	unlock, err := privatefile.Lock(l.queue)
	if err != nil {
		return fmt.Errorf("queued audit entries: %w", err)
	}
	defer unlock()
	data, err := privatefile.Read(l.queue)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("read queued audit entries: %w", err)
	}
	if err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return l.appendAll(ctx, tx, data) }); err != nil {
		return fmt.Errorf("append queued audit entries: %w", err)
	}
	if err := os.Remove(l.queue); err != nil {
		return fmt.Errorf("remove queued audit entries: %w", err)
	}
	return privatefile.SyncDir(filepath.Dir(l.queue))
}

func (l *Log) appendAll(ctx context.Context, tx pgx.Tx, data []byte) error {
	for line := range bytes.Lines(data) {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		var err error
		if e.Detail, err = dated(e.Detail, e.CreatedAt); err != nil {
			return err
		}
		if err := l.Append(ctx, tx, e); err != nil {
			return err
		}
	}
	return nil
}

// dated tells when it happened: the entry's own time is that of its place in the chain.
func dated(detail json.RawMessage, at time.Time) (json.RawMessage, error) {
	facts := map[string]any{}
	if len(detail) > 0 {
		if err := json.Unmarshal(detail, &facts); err != nil {
			return nil, err
		}
	}
	if facts == nil {
		facts = map[string]any{}
	}
	facts["happened_at"] = at
	return json.Marshal(facts)
}
