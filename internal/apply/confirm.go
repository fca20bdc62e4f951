package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"gateway/internal/change"
	"gateway/internal/daemon"
	"gateway/internal/fault"
	"gateway/internal/intent"
)

// armed is a change that is undone unless somebody confirms it, with what to go back
// to. It is on disk before the first file is installed, so that it holds through our
// own death, a dead database and a reboot.
type armed struct {
	Change     string                      `json:"change"`
	Components []string                    `json:"components"`
	Boot       string                      `json:"boot"`
	Deadline   time.Duration               `json:"deadline"` // since boot
	Before     map[string]daemon.Rendering `json:"before"`
	// Undone says that the files are back; the rows follow when the database is there.
	Undone bool `json:"undone"`
}

const (
	confirmEvery = 200 * time.Millisecond
	// filesEvery is for files that a daemon does not take back: each try restarts it.
	filesEvery = time.Second
	// undoEvery is for rows that could not be taken back: somebody has to do something first.
	undoEvery = 5 * time.Second
)

// confirming is the wait for a confirmation; there is one at a time. The lock is taken
// last, after a worker's busy lock: nobody waits for that one with this in hand.
type confirming struct {
	mu    sync.Mutex
	armed *armed // never changed, only replaced
	// undoing holds the components' rounds from the first file that goes back.
	undoing bool
	// retryAt is when to try again to take files or rows back; only the watch uses it.
	retryAt time.Duration
}

func (c *confirming) current() (a *armed, undoing bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.armed, c.undoing || c.armed != nil && c.armed.Undone
}

func (c *confirming) setUndoing(on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.undoing = on
}

func (e *Engine) armedFile() string { return e.stateFile("confirm") }

// arm is called before anything of the changes is installed.
func (w *worker) arm(ctx context.Context, due []change.Due) error {
	for _, d := range due {
		if d.ConfirmSeconds == nil || w.armedFor(d.ID) {
			continue
		}
		if err := w.armWithin(ctx, d.ID, time.Duration(*d.ConfirmSeconds)*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// armWithin keeps what to go back to, and when.
func (w *worker) armWithin(ctx context.Context, id string, left time.Duration) error {
	rows, err := w.Pool.Query(ctx, `select component from change_applies where change_id = $1`, id)
	if err != nil {
		return fmt.Errorf("arm the undoing of %s: %w", id, err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return fmt.Errorf("arm the undoing of %s: %w", id, err)
	}
	a := &armed{
		Change: id, Components: names, Boot: w.Clock.Boot, Before: map[string]daemon.Rendering{},
		Deadline: w.Clock.Uptime() + left,
	}
	for _, other := range w.workers {
		if slices.Contains(names, other.daemon.Name) {
			a.Before[other.daemon.Name] = other.installedNow()
		}
	}
	return w.setArmed(a)
}

func (e *Engine) armedFor(id string) bool {
	a, _ := e.waiting.current()
	return a != nil && a.Change == id
}

// installedNow is what is installed, as others may read it.
func (w *worker) installedNow() daemon.Rendering {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.before
}

// setArmed keeps a, or nothing, on disk first and then in mind.
func (e *Engine) setArmed(a *armed) error {
	e.waiting.mu.Lock()
	defer e.waiting.mu.Unlock()
	var err error
	if a == nil {
		err = e.Tree.Remove(e.armedFile())
	} else {
		err = e.Tree.Save(e.armedFile(), a)
	}
	if err != nil {
		return fmt.Errorf("keep the wait for a confirmation: %w", err)
	}
	e.waiting.armed, e.waiting.undoing = a, false
	e.showConfirm(a)
	return nil
}

func (e *Engine) showConfirm(a *armed) {
	for _, w := range e.workers {
		w.show(func(s *State) {
			s.Confirm = nil
			if a != nil && !a.Undone && slices.Contains(a.Components, w.daemon.Name) {
				s.Confirm = &Confirm{Change: a.Change, SecondsLeft: max(0, int((a.Deadline - e.Clock.Uptime()).Seconds()))}
			}
		})
	}
}

// giveUp ends the wait of changes that did not get through: what asked to go back unless
// somebody confirms it must not come by itself when a later round gets through.
func (w *worker) giveUp(ctx context.Context, due []change.Due) {
	for _, d := range due {
		if d.ConfirmSeconds == nil {
			continue
		}
		var err error
		if a, undoing := w.waiting.current(); a == nil || a.Change != d.ID {
			short, cancel := context.WithTimeout(ctx, markTime)
			err = w.armWithin(short, d.ID, 0)
			cancel()
		} else if !undoing {
			now := *a
			now.Deadline = w.Clock.Uptime()
			err = w.setArmed(&now)
		}
		if err != nil {
			w.Log.Error("apply", "component", w.daemon.Name, "err", err)
		}
	}
}

// held reports whether the component's files are those before a change whose rows are
// still there: the database does not say what is wanted then.
func (w *worker) held() (change.Applied, bool) {
	if a, undoing := w.waiting.current(); !undoing || !slices.Contains(a.Components, w.daemon.Name) {
		return change.Applied{}, false
	}
	w.stage(Held)
	return change.Applied{State: intent.Pending, Why: fault.Said("an unconfirmed change is being reverted first")}, true
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
		return nil
	}
	if state, err := e.settled(ctx, a.Change); err != nil {
		e.Log.Debug("confirm", "err", err) // then the clock alone decides
	} else if state != change.Waiting {
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
		why := "the files are those before the change, but its rows cannot be reverted: " + f.Error() + "; confirm the change to keep it"
		for _, w := range e.workers {
			if slices.Contains(a.Components, w.daemon.Name) {
				w.show(func(s *State) { s.Error, s.ErrorWords = why, nil })
			}
		}
	}
	return fmt.Errorf("take the rows of %s back: %w", a.Change, err)
}

// settled is how the database says that the wait is over, if it says so.
func (e *Engine) settled(ctx context.Context, id string) (string, error) {
	if !e.Up() {
		return "", errors.New("the database does not answer")
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	var state string
	err := e.Pool.QueryRow(ctx, `select coalesce(confirm_state, '') from changes where id = $1`, id).Scan(&state)
	return state, err
}

// forgetArmed ends the wait of a, and of no other that began meanwhile.
func (e *Engine) forgetArmed(a *armed) error {
	if !e.armedFor(a.Change) {
		return nil
	}
	if err := e.setArmed(nil); err != nil {
		return err
	}
	e.Notify("")
	return nil
}

// filesBack restores what was there before the change, byte for byte. A daemon that does
// not follow holds up none of the others.
func (e *Engine) filesBack(ctx context.Context, a *armed) error {
	e.waiting.setUndoing(true)
	var g errgroup.Group
	for _, w := range e.workers {
		before, ok := a.Before[w.daemon.Name]
		if !ok {
			continue
		}
		g.Go(func() error {
			w.busy.Lock()
			defer w.busy.Unlock()
			return w.restore(ctx, before.Hashed())
		})
	}
	if err := g.Wait(); err != nil {
		return err
	}
	undone := *a
	undone.Undone = true
	return e.setArmed(&undone)
}
