package change

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"gateway/internal/audit"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// work is one change while it is being made.
type work struct {
	*Runner
	id       string
	tx       pgx.Tx
	ask      intent.Ask
	locked   []string // components whose lock we hold
	entries  []audit.Entry
	affected []string // components whose files will change
	undoing  bool
	// reverting says that rows went back: nobody has judged them as they are among the others now.
	reverting bool
	effects   []func(context.Context) error // for after the commit
}

// run is the transaction.
func (w *work) run(ctx context.Context, c Change, steps func(*work) error) error {
	var err error
	if w.tx, err = w.pool.Begin(ctx); err != nil {
		return fmt.Errorf("begin: %w", err)
	}
	defer func() { _ = w.tx.Rollback(context.WithoutCancel(ctx)) }() // no more than a formality after a commit
	if err := w.open(ctx, c); err != nil {
		return err
	}
	if err := steps(w); err != nil {
		return err
	}
	if err := w.finish(ctx); err != nil {
		return err
	}
	if err := w.tx.Commit(ctx); err != nil {
		return w.settle(ctx, err)
	}
	return nil
}

// settleTime is how long we try to find out what became of a commit.
const settleTime = 12 * time.Second

// settle is for a commit whose answer was lost: the change may be stored all the same,
// and whoever asked must not be told otherwise.
func (w *work) settle(ctx context.Context, lost error) error {
	var pg *pgconn.PgError
	if errors.As(lost, &pg) || errors.Is(lost, pgx.ErrTxCommitRollback) {
		return fmt.Errorf("commit: %w", lost) // the database has answered: it is not stored
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), settleTime)
	defer cancel()
	for {
		stored, err := w.stored(ctx)
		switch {
		case err == nil && stored:
			return nil
		case err == nil:
			return fmt.Errorf("commit: %w", lost)
		}
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
			return errors.Join(fault.New(fault.Unavailable,
				"the database connection was lost during the commit; check whether the change was stored before you try again").WithCode("outcome_unknown"), lost)
		}
	}
}

// stored reports whether the change was committed. A commit whose caller went away may still be on its way to the disk, and its
// rows be seen a moment later: as long as it is, it holds the lock of its component.
func (w *work) stored(ctx context.Context) (found bool, err error) {
	const seen = `select exists (select from changes where id = $1)`
	// Before the lock, for which the next change of the component may be waiting as well, and keep it for long.
	if err := w.pool.QueryRow(ctx, seen, w.id).Scan(&found); err != nil || found {
		return found, err
	}
	err = pgx.BeginFunc(ctx, w.pool, func(tx pgx.Tx) error {
		// Not for longer: who has the lock may have waited for ours, and then it is stored.
		if _, err := tx.Exec(ctx, `set local lock_timeout = '1s'`); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, lockComponent, w.lockOf(w.locked[0])); err != nil {
			return err
		}
		return tx.QueryRow(ctx, seen, w.id).Scan(&found)
	})
	return found, err
}

// lockComponent is held by a change until its end.
const lockComponent = `select pg_advisory_xact_lock(hashtextextended('gateway/' || $1, 0))`

// open gives the row-image trigger the change to record under.
func (w *work) open(ctx context.Context, c Change) error {
	w.undoing = c.undoing
	var reverts *string
	if c.reverts != "" {
		reverts = &c.reverts
	}
	var b pgx.Batch
	b.Queue(`select set_config('gateway.change_id', $1, true), set_config('gateway.keep_secrets', $2, true), set_config('lock_timeout', $3, true)`,
		w.id, onOff(w.ask.ConfirmWithin > 0 && !w.ask.DryRun), strconv.FormatInt(lockTime(ctx).Milliseconds(), 10))
	b.Queue(`insert into changes (id, component, action, subject, actor, reason, reverts, created_at) values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		w.id, c.Component, c.Action, c.Subject, c.Actor, w.ask.Reason, reverts, w.now())
	w.queueLock(&b, c.Component)
	if err := w.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("open change %s: %w", c.Action, err)
	}
	return nil
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// queueLock takes the component's lock, so that two changes of one component never see half of each other.
func (w *work) queueLock(b *pgx.Batch, component string) {
	if slices.Contains(w.locked, component) {
		return
	}
	w.locked = append(w.locked, component)
	if w.coalescer != nil {
		w.coalescer.begin(component)
	}
	b.Queue(lockComponent, w.lockOf(component))
}

// lockOf is the component whose lock a change of one takes.
func (w *work) lockOf(component string) string {
	if w.daemons == nil || w.unlocked {
		return component
	}
	return w.daemons.LockOf(component)
}

// step is one mutation of the change, with its audit entry.
func (w *work) step(ctx context.Context, c Change, fn func(tx Tx) error) error {
	var b pgx.Batch
	if w.queueLock(&b, c.Component); b.Len() > 0 {
		if err := w.tx.SendBatch(ctx, &b).Close(); err != nil {
			return fmt.Errorf("wait for the lock of %s: %w", c.Component, err)
		}
	}
	if err := fn(Tx{w.tx, w}); err != nil {
		return err
	}
	entry, err := c.entry(ctx) // now, since fn may have added to the detail
	if err != nil {
		return err
	}
	entry.ChangeID = &w.id
	w.entries = append(w.entries, entry)
	return nil
}

// effectTime is for what follows a commit: files and caches, nothing that waits for others.
const effectTime = 10 * time.Second

// after does what waited for the commit, also when the caller has hung up.
func (w *work) after(ctx context.Context) error {
	if len(w.effects) == 0 {
		return nil
	}
	held, cancel := context.WithTimeout(context.WithoutCancel(ctx), effectTime)
	defer cancel()
	var all error
	for _, effect := range w.effects {
		all = errors.Join(all, effect(held))
	}
	return all
}

// finish has the result judged, and adds what goes with it.
func (w *work) finish(ctx context.Context) error {
	if err := w.judge(ctx); err != nil {
		return err
	}
	if w.ask.DryRun {
		return w.plan(ctx)
	}
	// Last, since from here on every other change of this node waits for ours.
	for _, e := range w.entries {
		if err := w.log.Append(ctx, w.tx, e); err != nil {
			return err
		}
	}
	return w.announce(ctx)
}

// judge finds out which daemons the change concerns, and asks their checkers.
func (w *work) judge(ctx context.Context) error {
	if w.daemons == nil {
		return nil
	}
	tables, err := w.changedTables(ctx)
	if err != nil || len(tables) == 0 {
		return err
	}
	if w.ask.ConfirmWithin > 0 {
		if err := w.undoable(tables); err != nil {
			return err
		}
	}
	affected, checked := w.daemons.Affected(tables)
	w.affected = affected
	if w.waits() {
		if err := w.takeWait(ctx); err != nil {
			return err
		}
	}
	judging := w.daemons.Judging(tables)
	if err := w.lockDaemons(ctx, judging); err != nil {
		return err
	}
	if err := w.refuseWhileWaiting(ctx, judging, tables); err != nil {
		return err
	}
	if checked && !w.reverting || w.undoing { // what was there before is no worse than what nobody confirmed
		return nil
	}
	for _, component := range affected {
		if err := w.daemons.Candidate(ctx, w.pool, w.tx, component); err != nil {
			return err
		}
	}
	for _, component := range w.daemons.Guarding(tables) {
		if err := w.daemons.Guard(ctx, w.pool, w.tx, component); err != nil {
			return err
		}
	}
	return nil
}

// waits reports whether the change is one that is undone unless somebody confirms it: where no daemon is concerned nothing
// is cut off by it, and the applier, which keeps the time, has nothing to go back to. Its answer tells: intent.Outcome.
func (w *work) waits() bool { return w.ask.ConfirmWithin > 0 && len(w.affected) > 0 }

// lockDaemons keeps others from having a change of the same daemons judged until ours is
// stored: each could be harmless beside what is stored now, and both together not. All of
// them are taken here and in one order, after every other lock, so that nobody waits for us
// with one that we want. What we read from now on is what the others stored.
func (w *work) lockDaemons(ctx context.Context, daemons []string) error {
	if w.unlocked || w.ask.DryRun || len(daemons) == 0 { // a dry run stores nothing
		return nil
	}
	var b pgx.Batch
	for _, name := range slices.Sorted(slices.Values(daemons)) {
		b.Queue(`select pg_advisory_xact_lock(hashtextextended('gateway/daemon/' || $1, 0))`, name)
	}
	if err := w.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("wait for other changes of the same daemons: %w", err)
	}
	return nil
}

func (w *work) changedTables(ctx context.Context) ([]string, error) {
	rows, err := w.tx.Query(ctx, `select distinct table_name from change_rows where change_id = $1`, w.id)
	if err != nil {
		return nil, fmt.Errorf("list what changed: %w", err)
	}
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// takeWait keeps two changes from waiting at once: the applier holds what to go back to for
// one, and two that were made before each other's end could not both be undone.
func (w *work) takeWait(ctx context.Context) error {
	if w.undoing {
		return nil
	}
	var waiting []waitingChange
	var b pgx.Batch
	if !w.ask.DryRun { // which stores nothing, and keeps nobody waiting
		b.Queue(`select pg_advisory_xact_lock(hashtextextended('gateway/confirm', 0))`)
	}
	b.Queue(`select action, subject, actor from changes where confirm_state = 'waiting' limit 1`).Query(func(rows pgx.Rows) (err error) {
		waiting, err = pgx.CollectRows(rows, pgx.RowToStructByPos[waitingChange])
		return err
	})
	if err := w.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("look for a change that waits: %w", err)
	}
	if len(waiting) > 0 {
		return confirmPending(waiting[0])
	}
	return nil
}

// waitingChange is what people know a change by: what it did, and who made it.
type waitingChange struct{ Action, Subject, Actor string }

func confirmPending(c waitingChange) error {
	what := strings.TrimSpace(c.Action + " " + c.Subject)
	return fault.New(fault.Conflict, "another change (%s, by %s) is waiting for confirmation; confirm or revert it first", what, c.Actor).WithCode("confirm_pending")
}

// refuseWhileWaiting keeps others out of a component whose last change may yet be undone:
// undoing it would take theirs along, be impossible, or make wrong what theirs were judged by.
// Of what no daemon reads it keeps the tables that the change wrote to: its rows go back
// without a rule, and fields of theirs would stand beside fields that they were not meant for.
// Whoever writes to such a table holds the lock of its component, as the change did. The same
// with the tables of others that theirs is judged by: a rule is harmless by the routes that there
// are, and would not be by those that come back.
func (w *work) refuseWhileWaiting(ctx context.Context, daemons, tables []string) error {
	if w.undoing {
		return nil
	}
	beside, err := w.daemons.Beside(ctx, w.tx, tables)
	if err != nil {
		return fmt.Errorf("look what this is judged by: %w", err)
	}
	rows, err := w.tx.Query(ctx, `select c.action, c.subject, c.actor from changes c where c.confirm_state = 'waiting' and (
		exists (select from change_applies a where a.change_id = c.id and a.component = any($1))
		or exists (select from change_rows r where r.change_id = c.id and r.table_name = any($2))) limit 1`, daemons, slices.Concat(tables, beside))
	if err != nil {
		return fmt.Errorf("look for a change that waits: %w", err)
	}
	waiting, err := pgx.CollectRows(rows, pgx.RowToStructByPos[waitingChange])
	if err != nil || len(waiting) == 0 {
		return err
	}
	return confirmPending(waiting[0])
}

// announce records whom the change concerns, and wakes the applier when it is committed.
func (w *work) announce(ctx context.Context) error {
	var b pgx.Batch
	for _, component := range w.affected {
		b.Queue(`insert into change_applies (change_id, component) values ($1, $2)`, w.id, component)
	}
	if w.waits() {
		b.Queue(`update changes set confirm_seconds = $2, confirm_state = 'waiting' where id = $1`, w.id, int(w.ask.ConfirmWithin.Seconds()))
	} else if w.ask.ConfirmWithin > 0 { // it will not be undone by itself
		b.Queue(`delete from change_secrets where change_id = $1`, w.id)
	}
	for _, component := range w.locked { // daemons hear of it by the tables
		b.Queue(`select pg_notify($1, $2)`, Channel, component)
	}
	if err := w.tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("announce change: %w", err)
	}
	return nil
}

// leave tells the coalescer not to wait for this change any longer.
func (w *work) leave() {
	if w.coalescer == nil {
		return
	}
	for _, component := range w.locked {
		w.coalescer.abandon(component)
	}
	w.locked = nil
}

// await waits for the daemons, but not longer than the caller does.
func (w *work) await(ctx context.Context) intent.Outcome {
	out := intent.Outcome{Change: w.id}
	if w.coalescer == nil || len(w.affected) == 0 {
		return out
	}
	out.Apply = intent.Live
	var applies []*sharedApply
	for _, component := range w.affected {
		if i := slices.Index(w.locked, component); i >= 0 {
			w.locked = slices.Delete(w.locked, i, i+1)
		} else {
			w.coalescer.begin(component)
		}
		applies = append(applies, w.coalescer.commit(component))
	}
	for _, a := range applies {
		select {
		case <-a.done:
			out = worse(out, a.result)
		case <-ctx.Done():
			out.Apply, out.Why = intent.Pending, fault.Said("the applier is still working")
		}
	}
	return out
}

// worse keeps the least happy of several results.
func worse(out intent.Outcome, a Applied) intent.Outcome {
	rank := map[string]int{intent.Live: 0, intent.Pending: 1, intent.Failed: 2}
	if rank[a.State] > rank[out.Apply] {
		out.Apply, out.Why = a.State, a.Why
	}
	return out
}
