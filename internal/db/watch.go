package db

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Probing twice a second keeps both "503 within a second" and "back within five" far from their limits.
const (
	probeEvery   = 500 * time.Millisecond
	probeTimeout = 800 * time.Millisecond
	lookEvery    = 100 * time.Millisecond
	// justNow: another query was answered so lately that a probe without an answer is late, and the database not away.
	justNow = 300 * time.Millisecond
)

// answers knows when the database last answered a query of a pool.
type answers struct{ last atomic.Int64 }

func (*answers) TraceQueryStart(ctx context.Context, _ *pgx.Conn, _ pgx.TraceQueryStartData) context.Context {
	return ctx
}

func (a *answers) TraceQueryEnd(_ context.Context, _ *pgx.Conn, q pgx.TraceQueryEndData) {
	if q.Err == nil {
		a.last.Store(time.Now().UnixNano())
	}
}

// Watch knows whether the database answers and is migrated. Nothing asks the
// database for that on the way of a request: a hung server would hold the request too.
type Watch struct {
	pool    *pgxpool.Pool
	migrate func(context.Context) error
	log     *slog.Logger
	up      atomic.Bool
	ready   bool // migrated once; only Run touches it
	// conn is the probe's own, so that a pool whose connections are all in use does not look
	// like a database that is away. Only Run touches it.
	conn *pgx.Conn
}

// NewWatch watches pool; migrate runs before the database first counts as up.
func NewWatch(pool *pgxpool.Pool, migrate func(context.Context) error, log *slog.Logger) *Watch {
	return &Watch{pool: pool, migrate: migrate, log: log}
}

// Up reports whether the database answered lately and holds our schema.
func (w *Watch) Up() bool { return w.up.Load() }

// Run probes until ctx ends.
func (w *Watch) Run(ctx context.Context) error {
	tick := time.NewTicker(probeEvery)
	defer tick.Stop()
	defer w.hangUp()
	for {
		w.set(w.probe(ctx))
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (w *Watch) probe(ctx context.Context) error {
	short, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	if err := w.ask(short); err != nil {
		w.hangUp()
		if w.ready && short.Err() != nil && w.answersOthers() {
			return nil // late, on a machine with too much to do, and not away
		}
		return err
	}
	if w.ready {
		return nil
	}
	if err := w.migrate(ctx); err != nil {
		return err
	}
	w.ready = true
	return nil
}

func (w *Watch) answersOthers() bool {
	a, ok := w.pool.Config().ConnConfig.Tracer.(*answers)
	return ok && time.Since(time.Unix(0, a.last.Load())) < justNow
}

func (w *Watch) ask(ctx context.Context) (err error) {
	if w.conn == nil {
		if w.conn, err = pgx.ConnectConfig(ctx, w.pool.Config().ConnConfig); err != nil {
			return err
		}
	}
	_, err = w.conn.Exec(ctx, "select 1")
	return err
}

func (w *Watch) hangUp() {
	if w.conn == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = w.conn.Close(ctx) // it is over either way
	w.conn = nil
}

func (w *Watch) set(err error) {
	was := w.up.Swap(err == nil)
	switch {
	case was && err != nil:
		w.log.Error("database lost", "err", err)
	case !was && err == nil:
		w.log.Info("database answers")
	}
}

// WhileUp returns a context that ends, for the reason Down, once the database is found to be away: what
// has asked it already would else wait as long as a server that hangs.
func WhileUp(ctx context.Context, up func() bool) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		tick := time.NewTicker(lookEvery)
		defer tick.Stop()
		for up() {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
		cancel(Down())
	}()
	return ctx, func() { cancel(nil) }
}
