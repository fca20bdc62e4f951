package db

import (
	"context"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

type txKey struct{}

// WithTx makes what runs through a Routed pool with this context part of tx.
func WithTx(ctx context.Context, tx pgx.Tx) context.Context {
	return context.WithValue(ctx, txKey{}, tx)
}

// Routed is a pool that reads within the context's transaction where there is one, so
// that the operations of a batch see each other.
// Transactions of their own begin outside of it.
type Routed struct{ Pool }

func (r Routed) at(ctx context.Context) DB {
	if tx, ok := ctx.Value(txKey{}).(pgx.Tx); ok {
		return tx
	}
	return r.Pool
}

// Exec is pgx's.
func (r Routed) Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error) {
	return r.at(ctx).Exec(ctx, sql, args...)
}

// Query is pgx's.
func (r Routed) Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error) {
	return r.at(ctx).Query(ctx, sql, args...)
}

// QueryRow is pgx's.
func (r Routed) QueryRow(ctx context.Context, sql string, args ...any) pgx.Row {
	return r.at(ctx).QueryRow(ctx, sql, args...)
}

// SendBatch is pgx's.
func (r Routed) SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults {
	return r.at(ctx).SendBatch(ctx, b)
}
