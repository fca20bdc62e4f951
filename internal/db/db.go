// Package db owns the connection to PostgreSQL: one pool, migrations merged from
// the component folders, and the watch that tells the rest of the product whether
// the database answers. What is stored is left to the packages that own the tables.
package db

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// DB is what the pool and a transaction share, so that a query runs on either.
type DB interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
	QueryRow(ctx context.Context, sql string, args ...any) pgx.Row
	SendBatch(ctx context.Context, b *pgx.Batch) pgx.BatchResults
}

// Pool is what makes transactions, and reads what is committed.
type Pool interface {
	DB
	Begin(ctx context.Context) (pgx.Tx, error)
	BeginTx(ctx context.Context, options pgx.TxOptions) (pgx.Tx, error)
}

// List runs a query and returns its rows, never nil, so that none is [] in JSON. Columns come in the order of T's fields.
func List[T any](ctx context.Context, q DB, query string, args ...any) ([]T, error) {
	rows, err := q.Query(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	return pgx.AppendRows([]T{}, rows, pgx.RowToStructByPos[T])
}

// Open returns a pool that connects on first use, so that a process starts without its database.
func Open(dsn string) (*pgxpool.Pool, error) { return open(dsn, 15*time.Second) }

// OpenPatient is Open for a command that reads everything there is, however long that takes.
func OpenPatient(dsn string) (*pgxpool.Pool, error) { return open(dsn, 0) }

func open(dsn string, limit time.Duration) (*pgxpool.Pool, error) {
	cfg, err := pgxpool.ParseConfig(dsn)
	if err != nil {
		return nil, fmt.Errorf("parse database address: %w", err)
	}
	cfg.MaxConns = 16
	cfg.MaxConnIdleTime = 5 * time.Minute
	cfg.ConnConfig.ConnectTimeout = cmp.Or(cfg.ConnConfig.ConnectTimeout, time.Second) // unless the address says connect_timeout
	// A lost answer must not hold a connection (and its locks) for ever.
	cfg.ConnConfig.RuntimeParams["statement_timeout"] = strconv.FormatInt(limit.Milliseconds(), 10)
	cfg.ConnConfig.RuntimeParams["idle_in_transaction_session_timeout"] = "30000"
	cfg.ConnConfig.RuntimeParams["application_name"] = "gateway"
	cfg.ConnConfig.RuntimeParams["random_page_cost"] = "1.1" // the planner's default is a spinning disk's
	cfg.ConnConfig.Tracer = &answers{}
	pool, err := pgxpool.NewWithConfig(context.Background(), cfg)
	if err != nil {
		return nil, fmt.Errorf("open database pool: %w", err)
	}
	return pool, nil
}
