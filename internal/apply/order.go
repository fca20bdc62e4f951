package apply

import (
	"context"
	"slices"
	"time"

	"gateway/internal/change"
)

// orderTime is how long a component waits for those before it, once for each change: one that
// hangs must not hold up the others for long.
const orderTime = 5 * time.Second

// waitForEarlier has the components that come before this one bring the same changes first.
// One that fails has had its time; one that takes longer is logged. It comes before anything is read: what is undone or
// confirmed meanwhile must not be brought as it was.
func (w *worker) waitForEarlier(ctx context.Context) error {
	if len(w.daemon.After) == 0 {
		return nil
	}
	limited, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	due, err := change.DueFor(limited, w.Pool, w.daemon.Name)
	if err != nil {
		return err
	}
	fresh := slices.DeleteFunc(slices.Clone(due), func(d change.Due) bool { return w.waited[d.ID] })
	w.waited = make(map[string]bool, len(due))
	for _, d := range due {
		w.waited[d.ID] = true
	}
	if len(fresh) == 0 {
		return nil
	}
	earlier, err := change.PendingIn(limited, w.Pool, fresh, w.daemon.After)
	if err != nil {
		return err
	}
	if late := w.bringFirst(limited, earlier); len(late) > 0 && ctx.Err() == nil {
		w.Log.Warn("apply goes ahead out of order", "component", w.daemon.Name, "before", late)
	}
	return nil
}

// bringFirst asks for a round of each, and answers who had none in time.
func (w *worker) bringFirst(ctx context.Context, names []string) (late []string) {
	done := make(chan string, len(w.workers))
	for _, other := range w.workers {
		if name := other.daemon.Name; slices.Contains(names, name) {
			late = append(late, name)
			go func() { other.ask(ctx); done <- name }()
		}
	}
	for len(late) > 0 && ctx.Err() == nil {
		select {
		case name := <-done:
			if ctx.Err() == nil { // else it gave up
				late = slices.DeleteFunc(late, func(n string) bool { return n == name })
			}
		case <-ctx.Done():
		case <-w.urgent: // what a rule lets in ends when it expires, whoever hangs
			return late
		}
	}
	return late
}

// askNow is ask for what cannot wait for others.
func (w *worker) askNow(ctx context.Context) {
	select {
	case w.urgent <- struct{}{}:
	default:
	}
	w.ask(ctx)
	select { // nobody was waiting
	case <-w.urgent:
	default:
	}
}
