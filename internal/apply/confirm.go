package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

const (
	confirmEvery = 200 * time.Millisecond
	// filesEvery is for files that a daemon does not take back: each try restarts it.
	filesEvery = time.Second
	// undoEvery is for rows that could not be taken back: somebody has to do something first.
	undoEvery = 5 * time.Second
)

// giveUp ends the wait of changes that did not get through: what asked to go back unless
// somebody confirms it must not come by itself when a later round gets through.
func (w *worker) giveUp(ctx context.Context, due []change.Due) {
	for _, d := range due {
		if d.ConfirmSeconds == nil {
			continue
		}
		now := w.Clock.Uptime()
		err := w.armWithin(ctx, d.ID, 0)
		if err == nil { // it may have been armed before, for longer
			_, err = w.updateArmed(d.ID, func(a armed) *armed { a.Deadline = min(a.Deadline, now); return &a })
		}
		if err != nil && !errors.Is(err, errHeld) {
			w.Log.Error("apply", "component", w.daemon.Name, "err", err)
		}
	}
}

// held reports whether the component's files are those before a change whose rows are
// still there: the database does not say what is wanted then.
func (w *worker) held() (change.Applied, bool) {
	a, undoing := w.waiting.current()
	if !undoing || !slices.Contains(a.Components, w.daemon.Name) {
		return change.Applied{}, false
	}
	w.stage(Held)
	return change.Applied{State: intent.Pending, Why: fault.Said("an unconfirmed change (%s) is being reverted first", a.Change)}, true
}

// watchConfirmation undoes what was not confirmed in time.
func (e *Engine) watchConfirmation(ctx context.Context) error {
	tick := time.NewTicker(confirmEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		if err := e.confirmation(ctx); err != nil && ctx.Err() == nil {
			e.Log.Error("confirm", "err", err)
		}
	}
}

func (e *Engine) confirmation(ctx context.Context) error {
	a, _ := e.waiting.current()
	if a == nil {
		return e.lookForUnarmed(ctx)
	}
	if over, err := e.settled(ctx, a.Change); err != nil {
		e.Log.Debug("confirm", "err", err) // then the clock alone decides
	} else if over {
		return e.forgetArmed(a)
	}
	if !a.Undone && e.Clock.Uptime() < a.Deadline {
		e.showConfirm(a)
		return nil
	}
	if !a.Undone {
		if e.Clock.Uptime() < e.waiting.retryAt {
			return nil
		}
		e.Log.Warn("a change was not confirmed in time, or failed, and is being reverted", "change", a.Change)
		if err := e.filesBack(ctx, a); err != nil {
			e.waiting.retryAt = e.Clock.Uptime() + filesEvery
			return err
		}
	}
	if !e.Up() {
		return nil
	}
	return e.rowsBack(ctx, a)
}

// rowsBack ends the undoing. Where the rows cannot be taken back the operator is told: the
// change can still be confirmed, which ends it too.
func (e *Engine) rowsBack(ctx context.Context, a *armed) error {
	if e.Clock.Uptime() < e.waiting.retryAt {
		return nil
	}
	err := e.Undo(ctx, a.Change)
	if err == nil {
		return e.forgetArmed(a)
	}
	e.waiting.retryAt = e.Clock.Uptime() + undoEvery
	if f, ok := fault.Of(err); ok {
		why := fault.Said("the change %s was not confirmed, and its rows cannot be reverted: %s; confirm it to keep it", a.Change, fault.SentenceOf(f))
		for _, w := range e.workers {
			if slices.Contains(a.Components, w.daemon.Name) {
				w.show(func(s *State) { s.Error, s.ErrorWords = why.Message, why.Beside() })
			}
		}
	}
	return fmt.Errorf("take the rows of %s back: %w", a.Change, err)
}

// settled reports whether the wait is over as the database has it. One that does not know the
// change was restored from a time before it: then its rows are gone, and nobody can confirm it.
func (e *Engine) settled(ctx context.Context, id string) (bool, error) {
	if !e.Up() {
		return false, errors.New("the database does not answer")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var state string
	err := e.Pool.QueryRow(ctx, `select coalesce(confirm_state, '') from changes where id = $1`, id).Scan(&state)
	if errors.Is(err, pgx.ErrNoRows) {
		e.Log.Warn("the database has no such change any more; its wait for a confirmation ends", "change", id)
		return true, nil
	}
	return err == nil && state != change.Waiting, err
}

// forgetArmed ends the wait of a, and of no other that began meanwhile.
func (e *Engine) forgetArmed(a *armed) error {
	done, err := e.updateArmed(a.Change, func(armed) *armed { return nil })
	if done {
		e.Notify("")
	}
	return err
}

// filesBack restores what was there before the change, byte for byte, in the order of any
// other change. A daemon that does not follow holds the others up for a moment only, and none
// of those that are back already is bothered again.
func (e *Engine) filesBack(ctx context.Context, a *armed) error {
	e.waiting.setUndoing(true)
	tried := map[string]chan struct{}{}
	for _, w := range e.workers {
		if _, ok := a.Before[w.daemon.Name]; ok {
			tried[w.daemon.Name] = make(chan struct{})
		}
	}
	var g errgroup.Group
	for _, w := range e.workers {
		before, ok := a.Before[w.daemon.Name]
		if !ok {
			continue
		}
		g.Go(func() error {
			defer close(tried[w.daemon.Name])
			w.waitForTried(ctx, tried)
			w.busy.Lock()
			defer w.busy.Unlock()
			return w.goBack(ctx, before.Hashed())
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	_, err := e.updateArmed(a.Change, func(a armed) *armed { a.Undone = true; return &a })
	return err
}

// waitForTried has the components that come before this one go back first, or try to.
func (w *worker) waitForTried(ctx context.Context, tried map[string]chan struct{}) {
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	for _, name := range w.daemon.After {
		if ch, concerned := tried[name]; concerned {
			select {
			case <-ch:
			case <-ctx.Done():
			}
		}
	}
}

// goBack is restore, unless the component is back: another one that is not has all of them
// tried again every second.
func (w *worker) goBack(ctx context.Context, before daemon.Rendering) error {
	if w.installed.Hash() == before.Hash() && w.observe(ctx) == before.Hash() {
		if damaged, err := w.damaged(); err == nil && len(damaged) == 0 {
			return nil
		}
	}
	return w.restore(ctx, before)
}
