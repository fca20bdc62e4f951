// Package change is the only road from a handler to a stored mutation: one
// transaction that holds the component's lock, writes the rows with their images,
// the audit entry and the notification, and commits all or nothing. Rendering and
// installing what was stored is left to package apply, which the notification wakes.
package change

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"gateway/internal/audit"
	"gateway/internal/auth"
	"gateway/internal/db"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Schema declares the history of changes.
func Schema() db.Schema {
	return db.Schema{
		Tables:     []db.Table{{Name: "changes", Scope: db.History}, {Name: "change_rows", Scope: db.History}},
		Migrations: db.Files(migrations),
	}
}

// Channel is notified, after commit, with the name of the component that changed.
const Channel = "gateway_change"

// Change says what is being done. Actor is taken from the signed-in identity when empty.
type Change struct {
	Component string         // whose lock to hold: "dns"
	Action    string         // "dns.zone.delete"
	Subject   string         // what it is done to, in the operator's words
	Actor     string         // "setup", "local" where nobody is signed in
	Detail    map[string]any // further facts for the audit entry; never a secret
}

// Runner runs changes.
type Runner struct {
	pool beginner
	log  *audit.Log
	now  func() time.Time
}

type beginner interface {
	Begin(ctx context.Context) (pgx.Tx, error)
}

// NewRunner returns a runner that writes to pool and to the audit log.
func NewRunner(pool beginner, log *audit.Log, now func() time.Time) *Runner {
	return &Runner{pool: pool, log: log, now: now}
}

// Run stores what fn writes, as one change. An error of fn, or of the audit entry, stores nothing.
func (r *Runner) Run(ctx context.Context, c Change, fn func(tx pgx.Tx) error) error {
	if c.Actor == "" {
		c.Actor = auth.From(ctx).Actor()
	}
	if c.Actor == "" || c.Action == "" || c.Component == "" {
		return fmt.Errorf("change %q of component %q by %q lacks a name", c.Action, c.Component, c.Actor)
	}
	id := db.NewID()
	err := pgx.BeginFunc(ctx, r.pool, func(tx pgx.Tx) error {
		if err := r.open(ctx, tx, id, c); err != nil {
			return err
		}
		if err := fn(tx); err != nil {
			return err
		}
		return r.close(ctx, tx, id, c)
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	return db.Busy(err)
}

// errNothing is how fn says that the state is already as wanted.
var errNothing = errors.New("nothing to change")

// Nothing, returned by the function of a change, ends it without storing or auditing anything and without an error.
func Nothing() error { return errNothing }

// open takes the component's lock, so that two changes of one component never see
// half of each other, and gives the row-image trigger the change to record under.
func (r *Runner) open(ctx context.Context, tx pgx.Tx, id string, c Change) error {
	var b pgx.Batch
	b.Queue(`select pg_advisory_xact_lock(hashtextextended('gateway/' || $1, 0))`, c.Component)
	b.Queue(`select set_config('gateway.change_id', $1, true)`, id)
	b.Queue(`insert into changes (id, component, action, subject, actor, created_at) values ($1, $2, $3, $4, $5, $6)`,
		id, c.Component, c.Action, c.Subject, c.Actor, r.now())
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("open change %s: %w", c.Action, err)
	}
	return nil
}

func (r *Runner) close(ctx context.Context, tx pgx.Tx, id string, c Change) error {
	detail, err := json.Marshal(c.Detail)
	if err != nil {
		return fmt.Errorf("detail of %s: %w", c.Action, err)
	}
	if c.Detail == nil {
		detail = nil
	}
	entry := audit.Entry{Actor: c.Actor, Action: c.Action, Subject: c.Subject, Detail: detail, ChangeID: &id}
	if err := r.log.Append(ctx, tx, entry); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `select pg_notify($1, $2)`, Channel, c.Component); err != nil {
		return fmt.Errorf("announce change: %w", err)
	}
	return nil
}
