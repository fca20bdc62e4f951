package apply

import (
	"context"
	"fmt"
	"sync"
)

// unitLocks lets one caller at a time at each unit. The zero value is ready.
type unitLocks struct {
	mu    sync.Mutex
	units map[string]chan struct{}
}

// take waits for the unit, but not longer than ctx; the caller gives it back by leave.
func (l *unitLocks) take(ctx context.Context, unit string) (leave func(), err error) {
	lock := l.of(unit)
	select {
	case lock <- struct{}{}:
		return func() { <-lock }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for others who act on %s: %w", unit, context.Cause(ctx))
	}
}

func (l *unitLocks) of(unit string) chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.units == nil {
		l.units = map[string]chan struct{}{}
	}
	if l.units[unit] == nil {
		l.units[unit] = make(chan struct{}, 1)
	}
	return l.units[unit]
}
