package apply

import (
	"context"
	"slices"
	"time"

	"gateway/internal/change"
)

// orderTime is how long a component waits for those before it: one that hangs must not hold
// up the others for ever.
const orderTime = 30 * time.Second

// waitForEarlier has the components that come before this one bring the same changes first.
// One that fails has had its time.
func (w *worker) waitForEarlier(ctx context.Context, due []change.Due) error {
	if len(w.part.After) == 0 || len(due) == 0 {
		return nil
	}
	earlier, err := change.PendingIn(ctx, w.Pool, due, w.part.After)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, orderTime)
	defer cancel()
	for _, other := range w.workers {
		if slices.Contains(earlier, other.part.Name) {
			other.ask(ctx)
		}
	}
	return nil
}
