package audit

import (
	"bytes"
	"context"
	"errors"
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
		n, b, err := h.verify(ctx, q)
		if err != nil {
			return entries, breaks, err
		}
		entries += n
		if b != nil {
			breaks = append(breaks, *b)
		}
	}
	return entries, breaks, nil
}

// Head is where a node's chain ends, and where it begins since older entries were
// pruned. Kept somewhere else, it also shows a chain that was rewritten as a whole.
type Head struct {
	NodeID   string
	Seq      int64
	Hash     []byte
	BaseSeq  int64
	BaseHash []byte
}

// Heads returns the end of every chain.
func Heads(ctx context.Context, q db.DB) ([]Head, error) {
	rows, err := q.Query(ctx, `select node_id, seq, hash, base_seq, base_hash from audit_heads order by node_id`)
	if err != nil {
		return nil, fmt.Errorf("read audit chains: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Head])
}

func (h Head) verify(ctx context.Context, q db.DB) (int64, *Break, error) {
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
		return n, &Break{h.NodeID, seq + 1, "", fmt.Sprintf("entries up to %d were cut off the end", h.Seq)}, nil
	}
	return n, nil, nil
}

// Prune removes this node's entries older than before. The chain then begins at
// the last removed one, whose hash the head keeps.
func (l *Log) Prune(ctx context.Context, pool beginner, before time.Time) (int64, error) {
	var removed int64
	err := pgx.BeginFunc(ctx, pool, func(tx pgx.Tx) error {
		if _, _, err := l.head(ctx, tx); err != nil {
			return err
		}
		var seq int64
		var hash []byte
		// Entries leave strictly from the front: a clock that jumped must not punch holes.
		err := tx.QueryRow(ctx, `select seq, hash from audit_entries where node_id = $1 and seq <
			coalesce((select min(seq) from audit_entries where node_id = $1 and created_at >= $2), 9223372036854775807)
			order by seq desc limit 1`, l.node, before).Scan(&seq, &hash)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("find old audit entries: %w", err)
		}
		tag, err := tx.Exec(ctx, `delete from audit_entries where node_id = $1 and seq <= $2`, l.node, seq)
		if err != nil {
			return fmt.Errorf("delete old audit entries: %w", err)
		}
		removed = tag.RowsAffected()
		if _, err := tx.Exec(ctx, `update audit_heads set base_seq = $2, base_hash = $3 where node_id = $1`, l.node, seq, hash); err != nil {
			return fmt.Errorf("move the beginning of the audit chain: %w", err)
		}
		return forgetNames(ctx, tx)
	})
	return removed, err
}

// forgetNames removes the names that no entry has any more: strangers who try to sign in choose theirs.
func forgetNames(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `delete from audit_names n where case n.kind
		when 'actor' then not exists (select from audit_entries e where e.actor = n.name)
		else not exists (select from audit_entries e where e.action = n.name) end`)
	if err != nil {
		return fmt.Errorf("forget names of audit entries: %w", err)
	}
	return nil
}
