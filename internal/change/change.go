// Package change is the only way from a handler to a stored mutation: one
// transaction that holds the component's lock, writes the rows with their images, has
// the daemons' checkers judge the result, adds the audit entry and the notification,
// and commits all or nothing. It also keeps the history: what changed, how to undo it.
// Installing what was stored is left to package apply; rendering it to the components.
package change

import (
	"context"
	"embed"
	"errors"
	"slices"
	"time"

	"gateway/internal/audit"
	"gateway/internal/db"
	"gateway/internal/fault"
	"gateway/internal/identity"
	"gateway/internal/intent"
)

//go:embed migrations/*.sql
var migrations embed.FS

// recorded is a change: only whether it was confirmed comes later.
var recorded = &db.Rights{Insert: true, Update: []string{"confirm_seconds", "confirm_state"}}

// forgotten are secrets that a trigger keeps while their change waits.
var forgotten = &db.Rights{Delete: true}

// Schema declares the history of changes.
func Schema() db.Schema {
	return db.Schema{
		Tables: []db.Table{
			{Name: "changes", Scope: db.History, API: recorded, Applier: recorded},
			{Name: "change_rows", Scope: db.History, API: &db.Rights{}}, // written by the trigger of each table
			{Name: "change_secrets", Scope: db.History, API: forgotten, Applier: forgotten},
			{Name: "applies", Scope: db.History, API: &db.Rights{}, Applier: &db.Rights{Insert: true}},
			{Name: "change_applies", Scope: db.History, Applier: &db.Rights{Insert: true, Update: []string{"state", "apply_id"}}},
			{Name: "apply_settings", Scope: db.NodeLocal},
		},
		Migrations: db.Files(migrations),
	}
}

// Ready reports, as an error, that the database does not hold the history yet: another
// process makes it.
func Ready(ctx context.Context, q db.DB) error {
	_, err := q.Exec(ctx, `select change_id from change_applies limit 0`)
	return err
}

// Channel is notified, after commit, with the name of the component that changed.
const Channel = "gateway_change"

// RowsChannel is notified by the tables themselves with their name, whoever changed them.
const RowsChannel = "gateway_rows"

// Change says what is being done. Actor is taken from the signed-in identity when empty.
type Change struct {
	Component string         // whose lock to hold: "dns"
	Action    string         // "dns.zone.delete"
	Subject   string         // what it is done to, in the operator's words
	Actor     string         // "setup", "local" where nobody is signed in
	Detail    map[string]any // further facts for the audit entry; never a secret

	reverts string // the change that this one undoes
	undoing bool   // it ends the wait for a confirmation, so it need not wait for that itself
}

// Daemons is what the runner asks of the components that render files: a daemon.Set.
// For a change of network_routes, Affected is network, whose files change; Guarding is firewall, whose assertions are
// asked; Judging is network, tunnel, uplink and firewall, whose locks are taken. Beside is the other direction: for a change of
// firewall_rules it is the tables of network, tunnel and uplink, while there are assertions.
type Daemons interface {
	// Affected are the components whose files depend on rows of these tables. checked
	// reports that the rows were judged one by one already.
	Affected(tables []string) (components []string, checked bool)
	// LockOf is the component whose lock a change of one takes: its own, or the one that it shares.
	LockOf(component string) string
	// Judging are the components that a change of these tables is judged beside: those that it
	// affects, and those whose judgement rests on them too.
	Judging(tables []string) []string
	// Guarding are the components that it does not affect, and that judge it all the same.
	Guarding(tables []string) []string
	// Beside are the tables of others by whose rows a change of these tables is judged too.
	Beside(ctx context.Context, now db.DB, tables []string) ([]string, error)
	// Guard refuses rows, as now has them, by which the component would do what somebody wrote
	// down that it must not.
	Guard(ctx context.Context, was, now db.DB, component string) error
	// Candidate refuses rows, as now has them, that the component's daemon would not take,
	// unless it would not take those that was has either: a repair must stay possible.
	Candidate(ctx context.Context, was, now db.DB, component string) error
	// Preview is the text of the component's files, by path, without secrets.
	Preview(ctx context.Context, q db.DB, component string) (map[string]string, error)
}

// Applied is how a component's files came to be installed.
type Applied struct {
	State string // intent.Live, Pending or Failed
	Why   fault.Sentence
}

// Runner runs changes.
type Runner struct {
	pool      db.Pool
	log       *audit.Log
	now       func() time.Time
	daemons   Daemons
	coalescer *coalescer
	queue     *queue
	unlocked  bool                // judges without waiting for others: see Unlock
	owners    map[string]string   // the component of each declared table
	tables    map[string]db.Table // the declared ones, by name
	rules     map[string]Rule     // by table, for the way back
}

// NewRunner returns a runner that writes to pool and to the audit log. Changes heed the
// daemons they concern and wait for sync to install them; both may be nil.
func NewRunner(pool db.Pool, log *audit.Log, now func() time.Time, daemons Daemons, sync func(component string) Applied) *Runner {
	r := &Runner{
		pool: pool, log: log, now: now, daemons: daemons, queue: newQueue(writers, maxWaiting),
		owners: map[string]string{}, tables: map[string]db.Table{}, rules: map[string]Rule{},
	}
	if sync != nil {
		r.coalescer = newCoalescer(sync)
	}
	return r
}

// Declare says which tables a component has: only these can be undone. It is called while
// the process is put together.
func (r *Runner) Declare(component string, tables []db.Table) {
	for _, t := range tables {
		r.owners[t.Name], r.tables[t.Name] = component, t
	}
}

// ownersOf are the components that have these tables, sorted.
func (r *Runner) ownersOf(tables []string) []string {
	var names []string
	for _, t := range tables {
		if owner, ok := r.owners[t]; ok {
			names = append(names, owner)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// undoable refuses, in words, a change of these tables that is to be undone by itself.
func (r *Runner) undoable(tables []string) error {
	for _, name := range tables {
		if why := r.tables[name].NoUndo; why.Message != "" {
			return fault.New(fault.Conflict, "this cannot wait for confirmation: %s", why).WithCode("not_revertible")
		}
	}
	return nil
}

// Run stores what fn writes, as one change, and returns when the daemons it concerns
// run on it, or could not. An error of fn, of a daemon's checker or of the audit entry
// stores nothing. Within a batch it becomes a part of that.
func (r *Runner) Run(ctx context.Context, c Change, fn func(tx Tx) error) error {
	if c.Actor == "" {
		c.Actor = identity.From(ctx).Actor()
	}
	if b, ok := batchOf(ctx); ok {
		if err := b.step(ctx, c, fn); !errors.Is(err, errNothing) {
			return err
		}
		return nil // the others of the batch may have something to change
	}
	return r.transact(ctx, c, func(w *work) error { return w.step(ctx, c, fn) })
}

// transact runs steps as one change.
func (r *Runner) transact(ctx context.Context, c Change, steps func(*work) error) error {
	w := &work{Runner: r, id: db.NewID(), ask: intent.Of(ctx)}
	defer w.leave()
	err := w.queued(ctx, c, steps)
	if errors.Is(err, errNothing) {
		return nil
	}
	if err != nil {
		return db.Busy(err)
	}
	err = w.after(ctx)
	intent.Report(ctx, w.await(ctx))
	return err
}

// errNothing is how fn says that the state is already as wanted.
var errNothing = errors.New("nothing to change")

// Nothing, returned by the function of a change, ends it without storing or auditing anything and without an error.
func Nothing() error { return errNothing }
