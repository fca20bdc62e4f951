package process

import (
	"context"
	"time"
)

// Pause waits, and answers false if ctx ended first.
func Pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// Notify wakes whoever waits for a channel that holds one event. One that was not yet looked
// into stands for the next ones too.
func Notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
