package apply

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"gateway/internal/change"
	"gateway/internal/daemon"
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

// confirming is the wait for a confirmation; there is one at a time. The locks are taken
// after a worker's busy lock, arming first: nobody waits for another with one of them in hand.
type confirming struct {
	// arming is held while a change is armed. Two components may bring it at once, and what one
	// of them has installed meanwhile is not what was there before.
	arming sync.Mutex

	mu    sync.Mutex
	armed *armed // never changed, only replaced
	// undoing holds the components' rounds from the first file that goes back.
	undoing bool
	// Only the watch uses these: when to try again to take files or rows back, and when to look
	// again for a change that is not armed.
	retryAt, lookAt time.Duration
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
		if d.ConfirmSeconds == nil {
			continue
		}
		if err := w.armWithin(ctx, d.ID, time.Duration(*d.ConfirmSeconds)*time.Second); err != nil {
			return err
		}
	}
	return nil
}

// armWithin keeps what to go back to, and when, unless it is kept already.
func (w *worker) armWithin(ctx context.Context, id string, left time.Duration) error {
	w.waiting.arming.Lock()
	defer w.waiting.arming.Unlock()
	if w.armedFor(id) {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, renderTime) // the others wait for us
	defer cancel()
	if live, err := change.WaitingLive(ctx, w.Pool, w.Node); err != nil {
		return fmt.Errorf("arm the undoing of %s: %w", id, err)
	} else if live == id {
		return errors.Join(errHeld, w.undoUnarmed(ctx, id))
	}
	names, err := change.AffectedBy(ctx, w.Pool, id)
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

// errHeld ends a round that an unconfirmed change holds.
var errHeld = errors.New("an unconfirmed change is being reverted first")

// lookForUnarmed finds a change that is live and waits, with nothing armed: the file was lost, or
// the database was restored from that time. Nobody would ever undo it, and it keeps others out.
func (e *Engine) lookForUnarmed(ctx context.Context) error {
	if !e.Up() || e.Clock.Uptime() < e.waiting.lookAt {
		return nil
	}
	e.waiting.arming.Lock()
	defer e.waiting.arming.Unlock()
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	id, err := change.WaitingLive(ctx, e.Pool, e.Node)
	if err != nil {
		e.Log.Debug("confirm", "err", err) // then soon
		return nil
	}
	e.waiting.lookAt = e.Clock.Uptime() + undoEvery
	if id == "" || e.armedFor(id) {
		return nil
	}
	return e.undoUnarmed(ctx, id)
}

// undoUnarmed takes back, as a boot would, what nobody knows the files before of: its rows go
// first, and the rounds after that install what is left.
func (e *Engine) undoUnarmed(ctx context.Context, id string) error {
	names, err := change.AffectedBy(ctx, e.Pool, id)
	if err != nil {
		return err
	}
	e.Log.Warn("a change waits for a confirmation, but what to go back to is lost; it is being reverted", "change", id)
	return e.setArmed(&armed{
		Change: id, Components: names, Boot: e.Clock.Boot, Deadline: e.Clock.Uptime(), Before: map[string]daemon.Rendering{}, Undone: true,
	})
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

// setArmed arms a change.
func (e *Engine) setArmed(a *armed) error {
	e.waiting.mu.Lock()
	defer e.waiting.mu.Unlock()
	return e.keepArmed(a, false)
}

// updateArmed replaces what is armed by what edit makes of it, or ends the wait where that is
// nothing, and reports whether it did: another change may have begun to wait meanwhile.
func (e *Engine) updateArmed(id string, edit func(armed) *armed) (bool, error) {
	e.waiting.mu.Lock()
	defer e.waiting.mu.Unlock()
	if now := e.waiting.armed; now == nil || now.Change != id {
		return false, nil
	}
	a := edit(*e.waiting.armed)
	err := e.keepArmed(a, e.waiting.undoing && a != nil)
	return err == nil, err
}

// keepArmed keeps a, or nothing, on disk first and then in mind. The lock is held.
func (e *Engine) keepArmed(a *armed, undoing bool) error {
	var err error
	if a == nil {
		err = e.Tree.Remove(e.armedFile())
	} else {
		err = e.Tree.Save(e.armedFile(), a)
	}
	if err != nil {
		return fmt.Errorf("keep the wait for a confirmation: %w", err)
	}
	e.waiting.armed, e.waiting.undoing = a, undoing
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
