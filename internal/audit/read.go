package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

const columns = `id, created_at, actor, action, subject, detail, node_id, seq, change_id`

// Query narrows a search; empty fields do not. Text matches anywhere and ignores case.
type Query struct {
	Actor, Action, Subject string
	Since, Until           time.Time
	Before                 *Cursor
	Limit                  int
}

// Cursor is the place in the log after which a page goes on. An offset would make
// page 10,000 read all pages before it; this starts where the last page ended.
type Cursor struct {
	CreatedAt time.Time
	Seq       int64
}

// Recent returns the latest entries, newest first.
func Recent(ctx context.Context, q db.DB, limit int) ([]Entry, error) {
	return Search(ctx, q, Query{Limit: limit})
}

// Search returns the entries that match, newest first.
func Search(ctx context.Context, q db.DB, s Query) ([]Entry, error) {
	where, args := s.where()
	args = append(args, s.Limit)
	rows, err := q.Query(ctx, fmt.Sprintf(`select %s from audit_entries %s order by created_at desc, seq desc limit $%d`,
		columns, where, len(args)), args...)
	if err != nil {
		return nil, fmt.Errorf("search audit entries: %w", err)
	}
	return collect(rows)
}

func (s Query) where() (string, []any) {
	var parts []string
	var args []any
	add := func(format string, values ...any) {
		numbers := make([]any, len(values))
		for i, v := range values {
			args = append(args, v)
			numbers[i] = len(args)
		}
		parts = append(parts, fmt.Sprintf(format, numbers...))
	}
	for _, f := range []struct{ column, text string }{{"actor", s.Actor}, {"action", s.Action}, {"subject", s.Subject}} {
		if f.text != "" {
			add(f.column+" ilike $%d", "%"+likeEscape.Replace(f.text)+"%")
		}
	}
	if !s.Since.IsZero() {
		add("created_at >= $%d", s.Since)
	}
	if !s.Until.IsZero() {
		add("created_at <= $%d", s.Until)
	}
	if s.Before != nil {
		add("(created_at, seq) < ($%d, $%d)", s.Before.CreatedAt, s.Before.Seq)
	}
	if len(parts) == 0 {
		return "", nil
	}
	return "where " + strings.Join(parts, " and "), args
}

// What the operator types is text, not a pattern.
var likeEscape = strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`)

// after returns a node's entries that follow seq, oldest first.
func after(ctx context.Context, q db.DB, node string, seq int64, limit int) ([]Entry, error) {
	rows, err := q.Query(ctx, `select `+columns+` from audit_entries where node_id = $1 and seq > $2 order by seq limit $3`, node, seq, limit)
	if err != nil {
		return nil, fmt.Errorf("read new audit entries: %w", err)
	}
	return collect(rows)
}

// latest returns a node's last entries, oldest first.
func latest(ctx context.Context, q db.DB, node string, limit int) ([]Entry, error) {
	rows, err := q.Query(ctx, `select `+columns+` from audit_entries where node_id = $1 order by seq desc limit $2`, node, limit)
	if err != nil {
		return nil, fmt.Errorf("read latest audit entries: %w", err)
	}
	entries, err := collect(rows)
	slices.Reverse(entries)
	return entries, err
}

func collect(rows pgx.Rows) ([]Entry, error) {
	entries, err := pgx.AppendRows([]Entry{}, rows, func(row pgx.CollectableRow) (e Entry, err error) {
		err = row.Scan(&e.ID, &e.CreatedAt, &e.Actor, &e.Action, &e.Subject, &e.Detail, &e.NodeID, &e.Seq, &e.ChangeID)
		e.CreatedAt = e.CreatedAt.UTC()
		return e, err
	})
	if err != nil {
		return nil, fmt.Errorf("read audit entries: %w", err)
	}
	return entries, nil
}
