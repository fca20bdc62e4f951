package api

import (
	"context"
	"time"

	"gateway/internal/fault"
)

// placeTime is how long a request waits for its turn.
const placeTime = 5 * time.Second

// places bounds how many of something run at once. Without any, nothing is bounded.
type places chan struct{}

// enter waits for a place. Whoever got one must leave.
func (p places) enter(ctx context.Context) error {
	if p == nil {
		return nil
	}
	late := time.NewTimer(placeTime)
	defer late.Stop()
	select {
	case p <- struct{}{}:
		return nil
	case <-late.C:
		return fault.New(fault.TooMany, "too many concurrent requests; try again in a moment").WithRetry(placeTime)
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (p places) leave() {
	if p != nil {
		<-p
	}
}
