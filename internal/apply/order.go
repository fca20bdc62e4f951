package apply

import (
	"context"
	"slices"
	"sync"
	"time"

	"gateway/internal/change"
)

// orderTime is how long a component waits for those before it, once for each change: one that
// hangs must not hold up the others for long.
const orderTime = 5 * time.Second

// waitForEarlier has the components that come before this one bring the same changes first.
// One that fails has had its time. It comes before anything is read: what is undone or
// confirmed meanwhile must not be brought as it was.
func (w *worker) waitForEarlier(ctx context.Context) error {
	if len(w.daemon.After) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	due, err := change.DueFor(ctx, w.Pool, w.daemon.Name)
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
	earlier, err := change.PendingIn(ctx, w.Pool, fresh, w.daemon.After)
	if err != nil {
		return err
	}
	select {
	case <-w.askAll(ctx, earlier):
	case <-w.urgent: // what a rule lets in ends when it expires, whoever hangs
	}
	return nil
}

// askAll asks for a round of each, and tells when all of them had it.
func (w *worker) askAll(ctx context.Context, names []string) <-chan struct{} {
	var g sync.WaitGroup
	for _, other := range w.workers {
		if slices.Contains(names, other.daemon.Name) {
			g.Go(func() { other.ask(ctx) })
		}
	}
	done := make(chan struct{})
	go func() {
		g.Wait()
		close(done)
	}()
	return done
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
