package api

import (
	"context"
	"time"

	"gateway/internal/fault"
)

// slotTime is how long a request waits for a slot.
const slotTime = 5 * time.Second

// slots bounds how many of something run at once. Without any, nothing is bounded.
type slots chan struct{}

// enter waits for a slot. Whoever got one must leave.
func (s slots) enter(ctx context.Context) error {
	if s == nil {
		return nil
	}
	late := time.NewTimer(slotTime)
	defer late.Stop()
	select {
	case s <- struct{}{}:
		return nil
	case <-late.C:
		return fault.New(fault.TooMany, "too many concurrent requests; try again in a moment").WithRetry(slotTime)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (s slots) leave() {
	if s != nil {
		<-s
	}
}
