package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// Break is the first place at which a node's chain does not hold.
type Break struct {
	NodeID string
	Seq    int64
	ID     string // empty when the entry is missing
	Reason string
}

func (b Break) String() string {
	return fmt.Sprintf("node %s, entry %d %s: %s", b.NodeID, b.Seq, b.ID, b.Reason)
}

// Verify recomputes every chain in the database and returns how many entries it
// read and the first break of each chain.
func Verify(ctx context.Context, q db.DB) (entries int64, breaks []Break, err error) {
	heads, err := Heads(ctx, q)
	if err != nil {
		return 0, nil, err
	}
	for _, h := range heads {
		n, b, err := h.Verify(ctx, q)
		if err != nil {
			return entries, breaks, err
		}
		entries += n
		if b != nil {
			breaks = append(breaks, *b)
		}
	}
	stray, err := strays(ctx, q)
	return entries, append(breaks, stray...), err
}

// strays are entries of nodes that never began a chain: nothing ties them to anything.
func strays(ctx context.Context, q db.DB) ([]Break, error) {
	rows, err := q.Query(ctx, `select node_id, min(seq), min(id::text), 'there is no chain that this entry, and ' || count(*) - 1 || ' others, could belong to'
		from audit_entries e where not exists (select from audit_heads h where h.node_id = e.node_id) group by node_id order by node_id`)
	if err != nil {
		return nil, fmt.Errorf("look for entries without a chain: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Break])
}

// Head is where a node's chain ends, and where it begins since older entries were
// pruned. Kept somewhere else, it also shows a chain that was rewritten as a whole.
type Head struct {
	NodeID   string
	Seq      int64
	Hash     []byte
	BaseSeq  int64
	BaseHash []byte
	KeptDays int // for which entries are kept, by the last entry that said so
}

// Heads returns the end of every chain.
func Heads(ctx context.Context, q db.DB) ([]Head, error) {
	rows, err := q.Query(ctx, `select node_id, seq, hash, base_seq, base_hash, kept_days from audit_heads order by node_id`)
	if err != nil {
		return nil, fmt.Errorf("read audit chains: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Head])
}

// Verify recomputes the chain and returns how many entries it read and the first break.
func (h Head) Verify(ctx context.Context, q db.DB) (int64, *Break, error) {
	rows, err := q.Query(ctx, `select `+columns+`, hash from audit_entries where node_id = $1 order by seq`, h.NodeID)
	if err != nil {
		return 0, nil, fmt.Errorf("read audit chain of %s: %w", h.NodeID, err)
	}
	defer rows.Close()
	seq, hash := h.BaseSeq, h.BaseHash
	var n int64
	for ; rows.Next(); n++ {
		var e Entry
		var stored []byte
		if err := rows.Scan(&e.ID, &e.CreatedAt, &e.Actor, &e.Action, &e.Subject, &e.Detail, &e.NodeID, &e.Seq, &e.ChangeID, &stored); err != nil {
			return n, nil, fmt.Errorf("read audit entry: %w", err)
		}
		if e.Seq != seq+1 {
			return n, &Break{h.NodeID, seq + 1, "", "the entry is missing"}, nil
		}
		seq, hash = e.Seq, Link(hash, e)
		if !bytes.Equal(hash, stored) {
			return n, &Break{h.NodeID, e.Seq, e.ID, "the entry, or the one before it, was altered after it was written"}, nil
		}
	}
	if err := rows.Err(); err != nil {
		return n, nil, fmt.Errorf("read audit chain: %w", err)
	}
	if seq != h.Seq || !bytes.Equal(hash, h.Hash) {
		return n, &Break{h.NodeID, seq + 1, "", fmt.Sprintf("entries up to %d were removed from the end", h.Seq)}, nil
	}
	return n, nil, nil
}

// LeastDays is for how long entries are kept in any case; see gateway_audit_prune.
const LeastDays = 30

// Keep has the log say for how many days this node keeps its entries, if it says more: less is not kept without an entry.
func (l *Log) Keep(ctx context.Context, pool db.Pool, days int) error {
	var kept int
	err := pool.QueryRow(ctx, `select coalesce(max(kept_days), 0) from audit_heads where node_id = $1`, l.node).Scan(&kept)
	if err != nil {
		return fmt.Errorf("read how long audit entries are kept: %w", err)
	}
	if kept <= days {
		return nil
	}
	detail := fmt.Sprintf(`{"from":{"audit_days":%d},"to":{"audit_days":%d}}`, kept, days)
	return l.Record(ctx, pool, Entry{Actor: "scheduler", Action: "system.retention", Subject: fmt.Sprintf("%d days of audit entries", days), Detail: json.RawMessage(detail)})
}

// Prune removes this node's entries older than before, which is as long ago as the log says that they are kept, and
// LeastDays at the least. The chain then begins at the last removed one, whose hash the head keeps.
func (l *Log) Prune(ctx context.Context, q db.DB, before time.Time) (removed int64, err error) {
	if err := q.QueryRow(ctx, `select gateway_audit_prune($1, $2)`, l.node, before).Scan(&removed); err != nil {
		return 0, fmt.Errorf("delete old audit entries: %w", err)
	}
	return removed, nil
}
