// Package audit keeps the log of who did what: entries that form a hash chain per
// node, written in the transaction of the action itself. Deciding what is worth an
// entry is left to the callers, above all to package change.
package audit

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema declares the tables of the log. They are history: no configuration.
func Schema() db.Schema {
	return db.Schema{
		Tables: []db.Table{
			{Name: "audit_entries", Scope: db.History, Applier: &db.Rights{Insert: true}},
			{Name: "audit_heads", Scope: db.History, API: &db.Rights{}}, // follows the entries; see gateway_audit_next
			{Name: "audit_names", Scope: db.History, Applier: &db.Rights{Insert: true}},
		},
		Migrations: db.Files(migrations),
	}
}

// Channel is notified, after commit, of every new entry.
const Channel = "gateway_audit"

// Entry is one line of the log.
type Entry struct {
	ID        string          `json:"id" doc:"Id of the entry"`
	CreatedAt time.Time       `json:"created_at" doc:"When, in UTC"`
	Actor     string          `json:"actor" doc:"E-mail of the account, or local, setup, scheduler"`
	Action    string          `json:"action" example:"user.create" doc:"The action, as component.noun.verb"`
	Subject   string          `json:"subject" doc:"The object of the action"`
	Detail    json.RawMessage `json:"detail" doc:"Further facts of the action"`
	NodeID    string          `json:"node_id" doc:"Machine id of the node that wrote the entry"`
	Seq       int64           `json:"seq" doc:"Number of the entry in its node's chain"`
	ChangeID  *string         `json:"change_id,omitempty" doc:"The configuration change it belongs to"`
}

// Log writes this node's chain.
type Log struct {
	node  string
	now   func() time.Time
	queue string // file for the time without a database; empty when there is none
}

// NewLog returns the log of the node with that machine id.
func NewLog(node string, now func() time.Time) *Log {
	return &Log{node: node, now: now}
}

// Append writes e as the next entry of the chain in tx, and announces it for when
// tx commits. The chain stays locked until then, so it has no gaps and no forks.
func (l *Log) Append(ctx context.Context, tx pgx.Tx, e Entry) error {
	seq, prev, err := l.head(ctx, tx)
	if err != nil {
		return err
	}
	e.ID, e.NodeID, e.Seq = db.NewID(), l.node, seq+1
	e.CreatedAt = l.now().UTC().Truncate(time.Microsecond) // what PostgreSQL keeps
	if e.Detail == nil {
		e.Detail = json.RawMessage(`{}`)
	}
	hash := Link(prev, e)
	var b pgx.Batch
	b.Queue(`insert into audit_entries (id, node_id, seq, created_at, actor, action, subject, detail, change_id, hash)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
		e.ID, e.NodeID, e.Seq, e.CreatedAt, e.Actor, e.Action, e.Subject, string(e.Detail), e.ChangeID, hash)
	b.Queue(`insert into audit_names (kind, name) values ('actor', $1), ('action', $2) on conflict do nothing`, e.Actor, e.Action)
	b.Queue(`select pg_notify($1, '')`, Channel)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("write audit entry %s: %w", e.Action, err)
	}
	return nil
}

// Record appends an entry of its own transaction: for deeds that store nothing else, like a sign-in.
func (l *Log) Record(ctx context.Context, pool beginner, e Entry) error {
	return pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error { return l.Append(ctx, tx, e) })
}

type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// head locks the chain and reads its end. The lock is no row's: that would take the right to
// change it.
func (l *Log) head(ctx context.Context, tx pgx.Tx) (seq int64, hash []byte, err error) {
	for range 2 {
		var b pgx.Batch
		b.Queue(`select pg_advisory_xact_lock(hashtextextended('gateway/audit/' || $1, 0))`, l.node)
		b.Queue(`select seq, hash from audit_heads where node_id = $1`, l.node).QueryRow(func(r pgx.Row) error { return r.Scan(&seq, &hash) })
		err = tx.SendBatch(ctx, &b).Close()
		if !errors.Is(err, pgx.ErrNoRows) {
			break
		}
		if err = AddNode(ctx, tx, l.node); err != nil {
			break
		}
	}
	if err != nil {
		return 0, nil, fmt.Errorf("take the end of the audit chain: %w", err)
	}
	return seq, hash, nil
}

// AddNode begins the chain of a node. It is the owner's to do: an entry of a node that nobody
// added is refused.
func AddNode(ctx context.Context, q db.DB, node string) error {
	if _, err := q.Exec(ctx, `insert into audit_heads (node_id, seq, hash) values ($1, 0, '') on conflict do nothing`, node); err != nil {
		return fmt.Errorf("begin the audit chain of node %s: %w", node, err)
	}
	return nil
}

// Link is the hash of an entry: over the one before it and every field, each with
// its length, so that no two different entries are spelled alike.
func Link(prev []byte, e Entry) []byte {
	h := sha256.New()
	field := func(b []byte) {
		var n [8]byte
		binary.BigEndian.PutUint64(n[:], uint64(len(b)))
		h.Write(n[:])
		h.Write(b)
	}
	var change string
	if e.ChangeID != nil {
		change = *e.ChangeID
	}
	field(prev)
	field([]byte(e.ID))
	field([]byte(e.NodeID))
	field(binary.BigEndian.AppendUint64(nil, uint64(e.Seq)))
	field([]byte(e.CreatedAt.UTC().Format(time.RFC3339Nano)))
	field([]byte(e.Actor))
	field([]byte(e.Action))
	field([]byte(e.Subject))
	field(e.Detail)
	field([]byte(change))
	return h.Sum(nil)
}
