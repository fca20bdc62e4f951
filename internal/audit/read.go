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
	Text                   string // in any of the three
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
	var w where
	for kind, text := range map[string]string{"actor": s.Actor, "action": s.Action} {
		if text == "" {
			continue
		}
		names, err := matching(ctx, q, kind, text)
		if err != nil || len(names) == 0 {
			return []Entry{}, err
		}
		w.add(kind+" = any($%d)", names)
	}
	if s.Text != "" {
		if err := anywhere(ctx, q, s.Text, &w); err != nil {
			return nil, err
		}
	}
	s.narrow(&w)
	w.args = append(w.args, s.Limit)
	query := fmt.Sprintf(`select %s from audit_entries %s order by created_at desc, seq desc limit $%d`, columns, w.clause(), len(w.args))
	// Planned for these values each time: the best way to find a name that is
	// everywhere is the worst for one that is nowhere.
	rows, err := q.Query(ctx, query, append([]any{pgx.QueryExecModeCacheDescribe}, w.args...)...)
	if err != nil {
		return nil, fmt.Errorf("search audit entries: %w", err)
	}
	return collect(rows)
}

// matching finds the actors or actions that contain the text.
func matching(ctx context.Context, q db.DB, kind, text string) ([]string, error) {
	rows, err := q.Query(ctx, `select name from audit_names where kind = $1 and name ilike $2`, kind, contains(text))
	if err != nil {
		return nil, fmt.Errorf("search audit names: %w", err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, fmt.Errorf("search audit names: %w", err)
	}
	return names, nil
}

// anywhere adds that actor, action or subject contain the text, each by its index.
func anywhere(ctx context.Context, q db.DB, text string, w *where) error {
	actors, err := matching(ctx, q, "actor", text)
	if err != nil {
		return err
	}
	actions, err := matching(ctx, q, "action", text)
	if err != nil {
		return err
	}
	w.add("(actor = any($%d) or action = any($%d) or subject ilike $%d)", actors, actions, contains(text))
	return nil
}

// narrow adds what is left beside actor and action.
func (s Query) narrow(w *where) {
	if s.Subject != "" {
		w.add("subject ilike $%d", contains(s.Subject))
	}
	if !s.Since.IsZero() {
		w.add("created_at >= $%d", s.Since)
	}
	if !s.Until.IsZero() {
		w.add("created_at <= $%d", s.Until)
	}
	if s.Before != nil {
		w.add("(created_at, seq) < ($%d, $%d)", s.Before.CreatedAt, s.Before.Seq)
	}
}

// where collects conditions and their values.
type where struct {
	parts []string
	args  []any
}

func (w *where) add(format string, values ...any) {
	numbers := make([]any, len(values))
	for i, v := range values {
		w.args = append(w.args, v)
		numbers[i] = len(w.args)
	}
	w.parts = append(w.parts, fmt.Sprintf(format, numbers...))
}

func (w *where) clause() string {
	if len(w.parts) == 0 {
		return ""
	}
	return "where " + strings.Join(w.parts, " and ")
}

func contains(text string) string { return "%" + likeEscape.Replace(text) + "%" }

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
