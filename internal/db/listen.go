package db

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Listener waits on notification channels with one connection and calls the
// handler of each. After a lost connection every handler is called with an empty
// payload: what was missed is unknown, so handlers must look at the state, not at the event.
type Listener struct {
	Pool     *pgxpool.Pool
	Ready    func() bool // whether the handlers' tables are there
	Handlers map[string]func(ctx context.Context, payload string)
	Log      *slog.Logger
}

// Run listens until ctx ends, reconnecting by itself.
func (l *Listener) Run(ctx context.Context) error {
	for ctx.Err() == nil {
		if l.Ready() {
			if err := l.once(ctx); ctx.Err() == nil {
				l.Log.Debug("listen", "err", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(probeEvery):
		}
	}
	return nil
}

// once uses a connection of its own: a listening one must not go back into the pool.
func (l *Listener) once(ctx context.Context) error {
	conn, err := pgx.ConnectConfig(ctx, l.Pool.Config().ConnConfig)
	if err != nil {
		return fmt.Errorf("connect to listen: %w", err)
	}
	defer discard(conn)
	var q strings.Builder
	for channel := range l.Handlers {
		fmt.Fprintf(&q, "listen %s;", pgx.Identifier{channel}.Sanitize())
	}
	if _, err := conn.Exec(ctx, q.String()); err != nil {
		return fmt.Errorf("listen: %w", err)
	}
	for _, handle := range l.Handlers {
		handle(ctx, "")
	}
	for {
		n, err := conn.WaitForNotification(ctx)
		if err != nil {
			return fmt.Errorf("wait for notification: %w", err)
		}
		l.Handlers[n.Channel](ctx, n.Payload)
	}
}

// discard closes a connection that is not the pool's; it is given up either way.
func discard(conn *pgx.Conn) {
	closing, cancel := context.WithTimeout(context.Background(), probeTimeout)
	defer cancel()
	_ = conn.Close(closing)
}
