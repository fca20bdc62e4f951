package component

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/db"
)

// Kept is something of the past that an area keeps, up to a bound: nothing grows for ever.
type Kept struct {
	// Name is its word in the API and in the browser's messages: "audit".
	Name string
	// Tables are those that its rows are in.
	Tables []string
	// Job is the one that removes what is beyond the bound; empty where what keeps it does so by itself.
	Job string
	// Bound is how much is kept at most.
	Bound func(ctx context.Context) (Bound, error)
	// Amount is how much there is now.
	Amount func(ctx context.Context) (Amount, error)
}

// Bound is how much is kept at most; a figure of 0 bounds nothing.
type Bound struct{ Days, Rows, Bytes int64 }

// Amount is how much there is. Rows and Oldest are nil where it has none.
type Amount struct {
	Rows   *int64
	Bytes  int64
	Oldest *time.Time
}

// Always is a bound that no setting changes.
func Always(b Bound) func(context.Context) (Bound, error) {
	return func(context.Context) (Bound, error) { return b, nil }
}

// InTables counts the rows of the first table, by the column with their time, and the bytes of all.
func InTables(q db.DB, at string, tables ...string) func(context.Context) (Amount, error) {
	return func(ctx context.Context) (a Amount, err error) {
		var rows int64
		err = q.QueryRow(ctx, fmt.Sprintf(`select count(*), min(%s), (select sum(pg_total_relation_size(name::regclass))::bigint from unnest($1::text[]) name) from %s`,
			pgx.Identifier{at}.Sanitize(), pgx.Identifier{tables[0]}.Sanitize()), tables).Scan(&rows, &a.Oldest, &a.Bytes)
		if err != nil {
			return Amount{}, fmt.Errorf("count the rows of %s: %w", tables[0], err)
		}
		a.Rows = &rows
		return a, nil
	}
}

// AllKept are those of all components.
func AllKept(all []Component) (out []Kept) {
	for _, c := range all {
		out = append(out, c.Kept...)
	}
	return out
}
